/*
 * The Snark deque (Detlefs et al., DISC 2000), published with a proof. Two bugs: Doherty et al., SPAA 2004.
 *
 *     linpoint spin snark.pml --spec deque                   the first: "empty" although it never was empty
 *     linpoint spin snark.pml --spec deque -D REPAIR1        the first one fixed: no violation with four operations
 *
 * Both ends are the same code: side 0 is the front, side 1 the back. Nodes are never reused.
 */
#include "linpoint.pml"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPS
#define OPS 4
#endif
#define NODES  (OPS + 1)
#define DUMMY  0
/* The pointer of a node to its neighbour on a side. */
#define LINK(side, node)  link[(side) * NODES + (node)]

byte hat[2];
byte link[2 * NODES];
byte value[NODES];
byte nodes;

byte calls;
byte pushes;

inline new_node(a)
{
	nodes++; n = nodes; value[n] = a
}

active [THREADS] proctype client()
{
	byte a, h, o, p, n;
	bit s;
	do
	:: atomic { calls < OPS -> calls++; pushes++; a = pushes;
		if
		:: s = 0; LP_CALL1("push_front", a)
		:: s = 1; LP_CALL1("push_back", a)
		fi;
push_again:
		h = hat[s] };
		p = LINK(s, h);
		if
		:: p == h ->
			o = hat[1 - s];
			atomic {
				if
				:: hat[s] == h && hat[1 - s] == o ->
					new_node(a); LINK(0, n) = DUMMY; LINK(1, n) = DUMMY;
					hat[s] = n; hat[1 - s] = n
				:: else -> goto push_again
				fi;
				LP_OK; a = 0; h = 0; o = 0; p = 0; n = 0; s = 0 }
		:: else ->
			atomic {
				if
				:: hat[s] == h && LINK(s, h) == p ->
					new_node(a); LINK(1 - s, n) = h; LINK(s, n) = DUMMY;
					hat[s] = n; LINK(s, h) = n
				:: else -> goto push_again
				fi;
				LP_OK; a = 0; h = 0; o = 0; p = 0; n = 0; s = 0 }
		fi
	:: atomic { calls < OPS -> calls++;
		if
		:: s = 0; LP_CALL0("pop_front")
		:: s = 1; LP_CALL0("pop_back")
		fi;
pop_again:
		h = hat[s] };
		o = hat[1 - s];
		p = LINK(s, h);
#ifdef REPAIR1
		atomic {
			if
			:: p == h && hat[s] == h -> goto is_empty
			:: p == h && hat[s] != h -> goto pop_again
			:: else
			fi };
#else
		atomic {
			if
			:: p == h -> goto is_empty
			:: else
			fi };
#endif
		if
		:: h == o ->
			atomic {
				if
				:: hat[s] == h && hat[1 - s] == o -> hat[s] = DUMMY; hat[1 - s] = DUMMY
				:: else -> goto pop_again
				fi };
			atomic { LP_RETURN(value[h]); h = 0; o = 0; p = 0; s = 0 }
		:: else ->
			p = LINK(1 - s, h);
			atomic {
				if
				:: hat[s] == h && LINK(1 - s, h) == p -> hat[s] = p; LINK(1 - s, h) = h
				:: else -> goto pop_again
				fi };
			a = value[h];
			atomic { LINK(s, h) = DUMMY; LP_RETURN(a); a = 0; h = 0; o = 0; p = 0; s = 0 }
		fi;
		goto done;
is_empty:
		atomic { LP_RETURN_NULL; h = 0; o = 0; p = 0; s = 0 };
done:
		skip
	:: else -> break
	od
}
