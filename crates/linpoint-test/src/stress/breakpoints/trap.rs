//! The handler of `SIGTRAP`: what happens at breakpoints, and after each instruction of an operation that is
//! single-stepped.

#![allow(unsafe_code)] // Signals and the flags of the processor have no other interface.

use std::arch::asm;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use super::code::{self, Kind, Registers};
use super::pace::Pace;
use super::table;

/// Single-stepping ends after this many instructions of an operation.
const MOST_STEPS: u32 = 4_000;
/// The trap flag.
const TF: i64 = 0x100;
/// The code of a signal after a single step.
const TRAP_TRACE: c_int = 2;

/// The memory of the process that opens it.
static OWN_MEMORY: [u8; 15] = *b"/proc/self/mem\0";

/// What a thread does, for the handler.
struct Current {
    /// The thread is in an operation that may be stopped, with this pace.
    pace: Cell<*const Pace>,
    thread: Cell<usize>,
    round: Cell<usize>,
    random: Cell<u64>,
    /// Instructions of the operation that is single-stepped.
    steps: Cell<u32>,
}

thread_local! {
    /// Without a destructor and in the main program, so that the handler can use it.
    static CURRENT: Current = const {
        Current {
            pace: Cell::new(std::ptr::null()),
            thread: Cell::new(0),
            round: Cell::new(0),
            random: Cell::new(0),
            steps: Cell::new(0),
        }
    };
}

/// The calling thread is in an operation until this is dropped.
pub(super) struct InOperation<'a>(std::marker::PhantomData<&'a Pace>);

impl<'a> InOperation<'a> {
    /// If `steps`, the thread is single-stepped.
    pub(super) fn new(
        pace: &'a Pace,
        thread: usize,
        round: usize,
        random: u64,
        steps: bool,
    ) -> Self {
        CURRENT.with(|current| {
            current.pace.set(pace);
            current.thread.set(thread);
            current.round.set(round);
            current.random.set(random);
            current.steps.set(0);
        });
        if steps {
            begin_stepping();
        }
        InOperation(std::marker::PhantomData)
    }
}

impl Drop for InOperation<'_> {
    fn drop(&mut self) {
        end_stepping();
        CURRENT.with(|current| current.pace.set(std::ptr::null()));
    }
}

/// Traps after each instruction from now on.
#[inline(always)]
fn begin_stepping() {
    // SAFETY: only the trap flag changes; `is_ready` has seen that the handler is there.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") }
}

#[inline(always)]
fn end_stepping() {
    // SAFETY: only the trap flag changes.
    unsafe { asm!("pushfq", "and qword ptr [rsp], -257", "popfq") }
}

/// Loads a word, without calling a function.
macro_rules! load {
    ($register:literal, $kind:ty, $address:expr) => {{
        let word: $kind;
        asm!(concat!("mov {0", $register, "}, [{1}]"), out(reg) word, in(reg) $address,
            options(nostack, readonly, preserves_flags));
        word
    }};
}

/// Calls the system, without calling a function. Arguments that a call does not have are zero.
macro_rules! system {
    ($number:expr, $first:expr, $second:expr, $third:expr, $fourth:expr) => {{
        let result: i64;
        asm!("syscall", inlateout("rax") $number => result, in("rdi") $first, in("rsi") $second,
            in("rdx") $third, in("r10") $fourth, out("rcx") _, out("r11") _, options(nostack));
        result
    }};
}

/// Handles `SIGTRAP`. Up to the point where the original byte is back, nothing may be called: it could lead to the same
/// breakpoint again. Unoptimised, even an atomic load is a call; operators of numbers and fields are not.
extern "C" fn on_trap(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes valid pointers to a handler with `SA_SIGINFO`, and nothing else uses what they point to
    // now. The addresses loaded from are in the table or next to it.
    unsafe {
        let context = context as *mut libc::ucontext_t;
        let next = (*context).uc_mcontext.gregs[libc::REG_RIP as usize];
        if (*info).si_code == TRAP_TRACE {
            if !stepped(&(*context).uc_mcontext.gregs) {
                (*context).uc_mcontext.gregs[libc::REG_EFL as usize] &= !TF;
            }
            return;
        }
        let address = (next as u64).wrapping_sub(1);
        let originals = &raw const table::ORIGINALS as usize;
        let mut at = 0;
        let mut word = 0;
        while at < table::ENTRIES {
            word = load!("", u64, originals.wrapping_add(at.wrapping_mul(8)));
            if word == 0 || word & table::ADDRESS == address {
                break;
            }
            at = at.wrapping_add(1);
        }
        if word & table::ADDRESS != address {
            // Not one of ours: do what would have happened without this handler.
            libc::signal(libc::SIGTRAP, libc::SIG_DFL);
            libc::raise(libc::SIGTRAP);
            return;
        }
        let owner = load!(":e", i32, &raw const table::OWNER as usize) as i64;
        let mut memory = load!(":e", i32, &raw const table::MEMORY as usize) as i64;
        let is_forked = system!(libc::SYS_getpid, 0, 0, 0, 0) != owner;
        if is_forked {
            // The open file is the memory of the parent.
            memory = system!(libc::SYS_open, &raw const OWN_MEMORY, libc::O_RDWR, 0, 0);
        }
        let byte = (word >> 56) as u8;
        system!(libc::SYS_pwrite64, memory, &raw const byte, 1, address);
        if is_forked {
            system!(libc::SYS_close, memory, 0, 0, 0);
        }
        (*context).uc_mcontext.gregs[libc::REG_RIP as usize] = address as i64;
    }
    stopped();
}

/// Pauses, if the thread is in an operation. From here on, each further breakpoint that is hit is gone afterwards.
fn stopped() {
    let _ = CURRENT.try_with(|current| {
        // A breakpoint that is hit while the thread pauses does not pause again.
        let pace = current.pace.replace(std::ptr::null());
        // SAFETY: the pointer is that of `InOperation`, which lives until the operation ends.
        if let Some(pace) = unsafe { pace.as_ref() } {
            let random = linpoint::random::mix(current.random.get());
            current.random.set(random);
            pace.pause(current.thread.get(), current.round.get(), random);
            current.pace.set(pace);
        }
    });
}

/// Looks at the next instruction of an operation. True if single-stepping goes on.
fn stepped(gregs: &[i64; 23]) -> bool {
    let step = |current: &Current| {
        let pace = current.pace.replace(std::ptr::null());
        // SAFETY: as above.
        let Some(known) = (unsafe { pace.as_ref() }) else { return false };
        let steps = current.steps.get() + 1;
        current.steps.set(steps);
        let next = gregs[libc::REG_RIP as usize] as u64;
        let registers = registers(gregs);
        // SAFETY: bytes of an instruction that is about to be executed. Those of another thread's breakpoint
        // may change meanwhile, hence volatile.
        let byte = |at: usize| unsafe { (next as *const u8).add(at).read_volatile() };
        let goes_on = match code::kind(byte, &registers) {
            Kind::Shared(access) => {
                known.points().note(next, access);
                true
            }
            Kind::SystemCall(number) => code::may_step_through(number),
            Kind::Other => true,
        };
        current.pace.set(pace);
        goes_on && steps < MOST_STEPS
    };
    CURRENT.try_with(step).unwrap_or(false)
}

/// The registers by their numbers in instructions.
fn registers(gregs: &[i64; 23]) -> Registers {
    use libc::{REG_RAX, REG_RBP, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RSI, REG_RSP};

    let low = [REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI];
    let mut all = [0; 16];
    for (number, register) in all.iter_mut().enumerate() {
        // R8 to R15 are the first ones there.
        let place = low.get(number).map_or(number.wrapping_sub(8), |place| *place as usize);
        *register = gregs[place] as u64;
    }
    all
}

/// True if the handler is in place and works, no thread blocks the signal, and the calling thread has no real-time
/// priority.
pub(super) fn is_ready() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    !is_blocked() && !is_real_time() && *READY.get_or_init(|| is_wanted() && install() && works())
}

fn is_wanted() -> bool {
    let is_off = std::env::var("LINPOINT_BREAKPOINTS").is_ok_and(|word| word == "off");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    !is_off && tracer.is_some_and(|id| id.trim() == "0")
}

/// Threads of real-time priority keep their core from all others, also from those that a stopped thread waits for.
fn is_real_time() -> bool {
    // SAFETY: the call takes a number and returns one.
    let policy = unsafe { libc::sched_getscheduler(0) };
    !matches!(policy, libc::SCHED_OTHER | libc::SCHED_BATCH | libc::SCHED_IDLE)
}

/// True if some thread of this process blocks the signal. It would be killed at a breakpoint.
fn is_blocked() -> bool {
    // A thread that is just being started blocks all signals, so one that blocks it is asked again.
    const TIMES: u32 = 3;
    (0..TIMES).all(|time| {
        std::thread::sleep(std::time::Duration::from_micros(200) * time);
        some_thread_blocks_it().unwrap_or(true)
    })
}

fn some_thread_blocks_it() -> Option<bool> {
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        // A thread that has just ended blocks nothing.
        let Ok(status) = std::fs::read_to_string(task.ok()?.path().join("status")) else {
            continue;
        };
        let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"))?;
        let blocked = u64::from_str_radix(blocked.trim(), 16).ok()?;
        if blocked & 1 << (libc::SIGTRAP - 1) != 0 {
            return Some(true);
        }
    }
    Some(false)
}

/// Installs the handler, unless there is another one.
fn install() -> bool {
    // SAFETY: both structures are valid as zeros; `on_trap` is async-signal-safe, see the module above.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGTRAP, std::ptr::null(), &raw mut before) != 0
            || before.sa_sigaction != libc::SIG_DFL
        {
            return false;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_trap as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_RESTART;
        libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut()) == 0
    }
}

/// Single-steps a function, and sets a breakpoint in it.
fn works() -> bool {
    use std::sync::atomic::{AtomicU64, Ordering};

    #[inline(never)]
    fn tried(counter: &AtomicU64) -> u64 {
        counter.fetch_add(1, Ordering::SeqCst)
    }
    let Some(code) = table::code() else { return false };
    let pace = Pace::new(std::sync::Arc::new(super::Points::within(code)), 1, false);
    let counter = Box::new(AtomicU64::new(0));
    let call = || std::hint::black_box(tried as fn(&AtomicU64) -> u64)(&counter);
    {
        let _stepped = InOperation::new(&pace, 0, 0, 0, true);
        call();
    }
    let Some(point) = pace.points().any(0) else { return false };
    let is_set = table::set(point);
    {
        let _stopped = InOperation::new(&pace, 0, 0, 0, false);
        call();
    }
    let is_hit = pace.stops() > 0;
    table::clear(point);
    is_set && is_hit && counter.load(Ordering::SeqCst) == 2
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[inline(never)]
    fn add(counter: &AtomicU64) -> u64 {
        counter.fetch_add(1, Ordering::SeqCst)
    }

    /// The first access in [`add`].
    fn point_in_add(pace: &Pace, counter: &AtomicU64) -> u64 {
        let stepped = InOperation::new(pace, 0, 0, 0, true);
        std::hint::black_box(add as fn(&AtomicU64) -> u64)(counter);
        drop(stepped);
        pace.points().any(0).expect("there is an access")
    }

    #[test]
    fn a_forked_process_repairs_its_own_code_and_not_that_of_its_parent() {
        // A debugger, or a system that forbids it.
        let Some(points) = super::super::Points::new() else { return };
        let pace = Pace::new(points, 1, false);
        let counter = Box::new(AtomicU64::new(0));
        let call = std::hint::black_box(add as fn(&AtomicU64) -> u64);
        let point = point_in_add(&pace, &counter);
        assert!(table::set(point));
        // SAFETY: the child only adds a number, which allocates nothing and takes no locks, and exits.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                call(&counter);
                libc::_exit(if call(&counter) == 2 { 0 } else { 1 });
            }
            let mut status = -1;
            libc::waitpid(child, &raw mut status, 0);
            status
        };
        assert_eq!(status, 0, "the child ended as it should");
        let _in_operation = InOperation::new(&pace, 0, 0, 0, false);
        call(&counter);
        assert_eq!(pace.stops(), 1, "the breakpoint of the parent is still there");
    }

    #[test]
    fn a_thread_that_blocks_the_signal_prevents_breakpoints() {
        let thread = std::thread::spawn(|| {
            // SAFETY: only this thread's mask changes. Other tests may have set breakpoints by now, and would kill it, so
            // while it blocks the signal it only executes the code of the C library.
            unsafe {
                let mut all: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&raw mut all);
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
                libc::usleep(300_000);
                libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const all, std::ptr::null_mut());
            }
        });
        while !thread.is_finished() {
            if is_blocked() {
                return;
            }
        }
        panic!("it blocked the signal for a while, and this was not noticed");
    }
}
