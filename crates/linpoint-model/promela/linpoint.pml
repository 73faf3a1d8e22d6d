/*
 * Lets a Promela model record its calls and returns for `linpoint spin`, which checks the histories
 * while the verifier runs.
 *
 *     #include "linpoint.pml"                    linpoint provides this file
 *
 *     atomic { LP_CALL1("push", v); t = top }    with the first step of the operation
 *     atomic { top == t -> top = n; LP_OK }      with its last one
 *
 * Names and results are those of the model that `--spec` names; `linpoint models` lists them. Each
 * belongs to the process that executes it. All of them are statements, and may be used anywhere but in
 * a d_step. They add nothing to the state: the number of the recording is restored when the search
 * backtracks, but two states that differ only in it are the same.
 *
 *     LP_CALL0(name)         LP_CALL1(name, a)         LP_CALL2(name, a, b)
 *     LP_OK                  it returns nothing
 *     LP_RETURN(value)       it returns a number
 *     LP_RETURN_BOOL(value)  it returns true or false
 *     LP_RETURN_NULL         it returns null: empty, absent
 *     LP_RETURN_FULL         it returns that the object was full
 */
c_decl {
	\#include <stdio.h>
	int lp_index;
	static void
	lp_record(int process, const char *what, const char *name, int values, int a, int b)
	{
		/* On a line of its own, whatever else the model prints. */
		printf("\n@lp %d %d %s %s", lp_index++, process, what, name);
		if (values > 0) printf(" %d", a);
		if (values > 1) printf(" %d", b);
		putchar('\n');
	}
};
c_track "&lp_index" "sizeof(int)" "UnMatched";

/* Not part of the state. */
hidden int lp_a;
hidden int lp_b;

#ifdef LP_SILENT
/* Nothing is recorded or checked: for measuring the verifier alone. */
#define LP_RECORD(what, name, values)   skip
#else
/* Every process begins with its number, whatever its type. */
#define LP_RECORD(what, name, values) \
	c_code { lp_record(((P0 *)_this)->_pid, what, name, values, lp_a, lp_b); }
#endif

#define LP_CALL0(name)         LP_RECORD("call", name, 0)
#define LP_CALL1(name, a)      lp_a = a; LP_RECORD("call", name, 1)
#define LP_CALL2(name, a, b)   lp_a = a; lp_b = b; LP_RECORD("call", name, 2)
#define LP_OK                  LP_RECORD("return", "ok", 0)
#define LP_RETURN(value)       lp_a = value; LP_RECORD("return", "int", 1)
#define LP_RETURN_BOOL(value)  lp_a = value; LP_RECORD("return", "bool", 1)
#define LP_RETURN_NULL         LP_RECORD("return", "null", 0)
#define LP_RETURN_FULL         LP_RECORD("return", "full", 0)
