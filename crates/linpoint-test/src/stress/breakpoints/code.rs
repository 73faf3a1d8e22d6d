//! What an instruction of x86-64 does, as far as it matters for breakpoints.

/// The general registers when an instruction is about to be executed, by their numbers in instructions.
pub(super) type Registers = [u64; 16];

const RAX: usize = 0;
const RSP: usize = 4;

/// What the next instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Accesses memory that may be shared: neither the stack nor thread-local variables.
    Shared(Access),
    /// Calls the system, with this number.
    SystemCall(u64),
    Other,
}

/// How an instruction accesses memory. What follows a load that was not the last is more often interesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Load,
    Store,
    /// Both, in one step.
    Atomic,
}

/// How far from the top of the stack memory counts as the stack.
const BELOW: u64 = 1 << 12;
const ABOVE: u64 = 1 << 20;

/// What the instruction does whose bytes are these. Only bytes of the instruction are asked for, in order.
pub(super) fn kind(byte: impl Fn(usize) -> u8, registers: &Registers) -> Kind {
    let mut at = 0;
    let mut rex = 0;
    let mut is_local = false;
    let mut is_atomic = false;
    let opcode = loop {
        let prefix = byte(at);
        at += 1;
        match prefix {
            // A segment: thread-local variables.
            0x64 | 0x65 => is_local = true,
            0xf0 => is_atomic = true,
            0x26 | 0x2e | 0x36 | 0x3e | 0x66 | 0x67 | 0xf2 | 0xf3 => {}
            0x40..=0x4f => rex = prefix,
            other => break other,
        }
    };
    // `MOV` to memory; `XCHG` needs no prefix.
    let mut is_store = matches!(opcode, 0x88 | 0x89 | 0xc6 | 0xc7);
    is_atomic |= matches!(opcode, 0x86 | 0x87);
    let has_operand = match opcode {
        // VEX and EVEX: what follows has an operand, and the bit that extends the base is inverted.
        0xc5 => {
            at += 2;
            true
        }
        0xc4 | 0x62 => {
            rex = u8::from(byte(at) & 0x20 == 0);
            at += if opcode == 0xc4 { 3 } else { 4 };
            true
        }
        0x0f => {
            let second = byte(at);
            at += 1;
            is_store = matches!(second, 0x11 | 0x29 | 0x7f | 0xd6);
            match second {
                0x05 => return Kind::SystemCall(registers[RAX]),
                // Other ways into the system.
                0x34 => return Kind::SystemCall(u64::MAX),
                0x38 | 0x3a => {
                    at += 1;
                    true
                }
                // No operand, or one that is not accessed: hints, fences, jumps.
                0x06..=0x09 | 0x0b | 0x0d | 0x0e | 0x18..=0x1f | 0x30..=0x37 | 0x77 => false,
                0x80..=0x8f | 0xa0..=0xa2 | 0xa8..=0xaa | 0xae | 0xc8..=0xcf => false,
                _ => true,
            }
        }
        0xcd => return Kind::SystemCall(u64::MAX),
        0x00..=0x3f => opcode & 7 < 4,
        // `LEA` only computes an address.
        0x8d => false,
        0x63 | 0x69 | 0x6b | 0x80..=0x8e | 0xc0 | 0xc1 | 0xc6 | 0xc7 | 0xd0..=0xd3 => true,
        0xf6 | 0xf7 | 0xfe | 0xff => true,
        _ => false,
    };
    if !has_operand || is_local {
        return Kind::Other;
    }
    let operand = byte(at);
    let (mode, number) = (operand >> 6, operand & 7);
    if mode == 3 {
        return Kind::Other;
    }
    let shared = Kind::Shared(match (is_atomic, is_store) {
        (true, _) => Access::Atomic,
        (false, true) => Access::Store,
        (false, false) => Access::Load,
    });
    let base = match number {
        4 => byte(at + 1) & 7,
        // Relative to the instruction: constants and statics. Calls go through such tables.
        5 if mode == 0 => return if opcode == 0xff { Kind::Other } else { shared },
        other => other,
    };
    let base = registers[usize::from(base | (rex & 1) << 3)];
    let is_on_stack = base.wrapping_sub(registers[RSP].wrapping_sub(BELOW)) < BELOW + ABOVE;
    if is_on_stack { Kind::Other } else { shared }
}

/// True if single-stepping may go on through this system call: it neither changes which signals are blocked nor
/// starts threads or processes.
pub(super) fn may_step_through(system_call: u64) -> bool {
    const MMAP: u64 = 9;
    const MUNMAP: u64 = 11;
    const BRK: u64 = 12;
    const SCHED_YIELD: u64 = 24;
    const MADVISE: u64 = 28;
    const NANOSLEEP: u64 = 35;
    const FUTEX: u64 = 202;
    const CLOCK_GETTIME: u64 = 228;
    matches!(
        system_call,
        MMAP | MUNMAP | BRK | SCHED_YIELD | MADVISE | NANOSLEEP | FUTEX | CLOCK_GETTIME
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: u64 = 0x7fff_0000_1000;
    const HEAP: u64 = 0x5555_0000_0000;

    fn of(bytes: &[u8]) -> Kind {
        let mut registers = [HEAP; 16];
        registers[RSP] = STACK;
        registers[5] = STACK + 64;
        registers[RAX] = 202;
        // Only bytes of the instruction may be read.
        kind(|at| bytes[at], &registers)
    }

    #[test]
    fn accesses_of_the_heap_are_points() {
        use Access::{Atomic, Load, Store};

        for (access, bytes) in [
            (Load, &[0x48, 0x8b, 0x07][..]),           // mov rax, [rdi]
            (Store, &[0x48, 0x89, 0x47, 0x08]),        // mov [rdi + 8], rax
            (Atomic, &[0xf0, 0x48, 0x0f, 0xb1, 0x0f]), // lock cmpxchg [rdi], rcx
            (Atomic, &[0x87, 0x07]),                   // xchg [rdi], eax
            (Atomic, &[0xf0, 0x41, 0xff, 0x04, 0x24]), // lock inc dword [r12]
            (Load, &[0x48, 0x8b, 0x04, 0xc7]),         // mov rax, [rdi + rax * 8]
            (Store, &[0x0f, 0x11, 0x07]),              // movups [rdi], xmm0
            (Load, &[0xc5, 0xfe, 0x6f, 0x07]),         // vmovdqu ymm0, [rdi]
            (Load, &[0xc4, 0xc1, 0x7e, 0x6f, 0x07]),   // vmovdqu ymm0, [r15]
            (Load, &[0x48, 0x8b, 0x05, 1, 2, 3, 4]),   // mov rax, [rip + …]
            (Load, &[0xff, 0x10]),                     // call [rax]
        ] {
            assert_eq!(of(bytes), Kind::Shared(access), "{bytes:x?}");
        }
    }

    #[test]
    fn other_instructions_are_not() {
        for bytes in [
            &[0x48, 0x8b, 0x44, 0x24, 0x08][..], // mov rax, [rsp + 8]
            &[0x48, 0x8b, 0x45, 0xf8],           // mov rax, [rbp - 8]
            &[0x64, 0x48, 0x8b, 0x00],           // mov rax, fs:[rax]
            &[0x48, 0x8d, 0x07],                 // lea rax, [rdi]
            &[0x48, 0x89, 0xc7],                 // mov rdi, rax
            &[0x0f, 0x1f, 0x40, 0x00],           // nop [rax]
            &[0x0f, 0xae, 0xf0],                 // mfence
            &[0xff, 0x15, 1, 2, 3, 4],           // call [rip + …]
            &[0x50],                             // push rax
            &[0xc3],                             // ret
            &[0xe8, 1, 2, 3, 4],                 // call
            &[0x74, 0x05],                       // je
            &[0x0f, 0x84, 1, 2, 3, 4],           // je
            &[0x3c, 0x05],                       // cmp al, 5
            &[0xb8, 1, 2, 3, 4],                 // mov eax, …
        ] {
            assert_eq!(of(bytes), Kind::Other, "{bytes:x?}");
        }
    }

    #[test]
    fn system_calls_have_numbers() {
        assert_eq!(of(&[0x0f, 0x05]), Kind::SystemCall(202));
        assert!(may_step_through(202));
        assert!(!may_step_through(14), "it can block signals");
        assert!(!may_step_through(u64::MAX));
    }
}
