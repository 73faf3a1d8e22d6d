/*
 * Treiber's stack with reused nodes and no version tags: the ABA problem.
 * R. K. Treiber, IBM RJ 5118, 1986.
 *
 *     linpoint spin treiber.pml --spec stack                 four operations, two threads
 *     linpoint spin treiber.pml --spec stack -D OPS=5
 *     linpoint spin treiber.pml --spec stack -D TAGS         version tags: no violation
 */
#include "linpoint.pml"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPS
#define OPS 4
#endif
#ifdef TAGS
#define SAME_TAG   (tag == g)
#define NEXT_TAG   tag = tag + 1
#else
#define SAME_TAG   true
#define NEXT_TAG   skip
#endif

byte top;                   /* 0 is null */
byte tag;
byte next[OPS + 1];
byte value[OPS + 1];
bool used[OPS + 1];

byte calls;
byte pushes;

active [THREADS] proctype client()
{
	byte n, t, x, v, g;
	do
	:: atomic { calls < OPS -> calls++; pushes++;
		LP_CALL1("push", pushes);
		n = 1;
		do
		:: used[n] -> n++
		:: else -> break
		od;
		used[n] = true; value[n] = pushes };
push_again:
		atomic { t = top; g = tag };
		next[n] = t;
		atomic {
			if
			:: top == t && SAME_TAG -> top = n; NEXT_TAG
			:: else -> goto push_again
			fi;
			LP_OK;
			n = 0; t = 0; g = 0 }
	:: atomic { calls < OPS -> calls++;
		LP_CALL0("pop");
pop_again:
		t = top; g = tag;
		if
		:: t == 0 -> LP_RETURN_NULL; g = 0; goto done
		:: else
		fi };
		x = next[t];
		v = value[t];
		atomic {
			if
			:: top == t && SAME_TAG -> top = x; NEXT_TAG
			:: else -> goto pop_again
			fi };
		atomic { used[t] = false; LP_RETURN(v);
			t = 0; x = 0; v = 0; g = 0 };
done:
		skip
	:: else -> break
	od
}
