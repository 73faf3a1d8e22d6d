/*
 * The array queue of Shann, Huang and Chen (ICPADS 2000), which reads a slot before it tests whether
 * the queue is empty, and so skips a value. Colvin and Groves (ICECCS 2005) found the bug.
 *
 *     linpoint spin shann.pml --spec queue:capacity=2
 *     linpoint spin shann.pml --spec queue:capacity=2 -D REPAIRED    bounds before slots: no violation
 */
#include "linpoint.pml"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPS
#define OPS 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

byte value[SLOTS];          /* 0 is empty; read and written together with its count */
byte count[SLOTS];
byte front, rear;

byte calls;
byte enqueues;

active [THREADS] proctype client()
{
	byte a, i, v, c;
	do
	:: atomic { calls < OPS -> calls++; enqueues++; a = enqueues;
		LP_CALL1("enqueue", a);
enqueue_again:
		i = rear };
#ifdef REPAIRED
		atomic {
			if
			:: front + SLOTS == i -> LP_RETURN_FULL; a = 0; i = 0; goto done
			:: else
			fi };
#endif
		atomic { v = value[i % SLOTS]; c = count[i % SLOTS] };
		atomic {
			if
			:: rear != i -> goto enqueue_again
			:: else
			fi };
#ifndef REPAIRED
		atomic {
			if
			:: front + SLOTS == i -> LP_RETURN_FULL; a = 0; i = 0; v = 0; c = 0; goto done
			:: else
			fi };
#endif
		if
		:: v == 0 ->
			atomic {
				if
				:: value[i % SLOTS] == v && count[i % SLOTS] == c ->
					value[i % SLOTS] = a; count[i % SLOTS] = c + 1
				:: else -> goto enqueue_again
				fi };
			atomic {
				if
				:: rear == i -> rear = i + 1
				:: else
				fi;
				LP_OK; a = 0; i = 0; v = 0; c = 0 }
		:: else ->
			atomic {
				if
				:: rear == i -> rear = i + 1
				:: else
				fi;
				goto enqueue_again }
		fi
	:: atomic { calls < OPS -> calls++;
		LP_CALL0("dequeue");
dequeue_again:
		i = front };
#ifdef REPAIRED
		atomic {
			if
			:: rear == i -> LP_RETURN_NULL; i = 0; goto done
			:: else
			fi };
#endif
		atomic { v = value[i % SLOTS]; c = count[i % SLOTS] };
		atomic {
			if
			:: front != i -> goto dequeue_again
			:: else
			fi };
#ifndef REPAIRED
		atomic {
			if
			:: rear == i -> LP_RETURN_NULL; i = 0; v = 0; c = 0; goto done
			:: else
			fi };
#endif
		if
		:: v != 0 ->
			atomic {
				if
				:: value[i % SLOTS] == v && count[i % SLOTS] == c ->
					value[i % SLOTS] = 0; count[i % SLOTS] = c + 1
				:: else -> goto dequeue_again
				fi };
			atomic {
				if
				:: front == i -> front = i + 1
				:: else
				fi;
				LP_RETURN(v); i = 0; v = 0; c = 0 }
		:: else ->
			atomic {
				if
				:: front == i -> front = i + 1
				:: else
				fi;
				goto dequeue_again }
		fi;
done:
		skip
	:: else -> break
	od
}
