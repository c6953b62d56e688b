//! Hostcall: what a kernel asks of the host while it runs, and the host's answer.
//!
//! ROCm's device libraries (`__ockl_hostcall_preview`, beneath `printf` and `assert` of HIP and of Triton) take a packet
//! from a stack of free ones, let each lane fill its slots, push the packet on a stack of ready ones, add to a doorbell
//! signal, send the host an interrupt (`s_sendmsg MSG_INTERRUPT`), and poll the packet until the host has answered. ROCm's
//! runtime has a thread that waits for the doorbell. Here the host answers at the interrupt: the run stays a function
//! of its inputs. The layouts are those of the device libraries (`ockl`, hostcall and services).
//!
//! Modelled is the service of messages, of which `printf` is made: its messages are collected ([`RunStats::messages`]),
//! nothing is printed here. A call of another service (functions of the host, device memory, the address sanitizer) stops
//! the run and is named.
//!
//! [`RunStats::messages`]: crate::RunStats::messages

use crate::global::Global;

/// Where things are in the buffer that the hidden argument points to.
mod buffer {
    pub const HEADERS: usize = 0;
    pub const PAYLOADS: usize = 8;
    pub const DOORBELL: usize = 16;
    pub const FREE_STACK: usize = 24;
    pub const READY_STACK: usize = 32;
    pub const INDEX_MASK: usize = 40;
    pub const BYTES: usize = 48;
}

/// Where things are in a packet's header.
mod header {
    pub const NEXT: u64 = 0;
    pub const ACTIVE_MASK: u64 = 8;
    pub const SERVICE: u64 = 16;
    pub const CONTROL: u64 = 20;
    pub const BYTES: u64 = 24;
}

/// `amd_signal_t`, as far as the device looks at it.
mod signal {
    pub const KIND: usize = 0;
    pub const MAILBOX: usize = 16;
    pub const EVENT: usize = 24;
    pub const BYTES: usize = 64;
    /// A signal that a program waits for.
    pub const USER: u64 = 1;
}

/// Slots of 8 bytes that a lane has in a packet.
const SLOTS: u64 = 8;
/// Bytes of a packet's payload: that many for each of 64 lanes.
const PAYLOAD: u64 = 64 * SLOTS * 8;
/// Set in a control word as long as the host has not answered.
const READY: u32 = 1;
/// The service of messages.
const MESSAGES: u32 = 2;

/// The descriptor of a part of a message, in a lane's first slot.
mod descriptor {
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    /// Slots that follow, from this bit on, 3 bits.
    pub const LENGTH: u32 = 5;
    /// The message's number, from this bit on.
    pub const NUMBER: u32 = 8;
}

/// Slots that the messages of a run may have.
const MOST: usize = 1 << 22;

/// The host, as the device sees it.
#[derive(Debug)]
pub(crate) struct Hostcall {
    /// Address of the buffer.
    base: u64,
    packets: u64,
    /// Messages that have begun and not ended.
    open: Vec<Option<Vec<u64>>>,
    /// Those that have ended, in order.
    ended: Vec<Vec<u64>>,
    slots: usize,
}

/// The contents of the area that a buffer of `packets` packets needs, at `base`.
pub(crate) fn area(base: u64, packets: u64) -> Vec<u8> {
    let doorbell = buffer::BYTES.next_multiple_of(64);
    let mailbox = doorbell + signal::BYTES;
    let headers = mailbox + 64;
    let payloads = (headers + (packets * header::BYTES) as usize).next_multiple_of(64);
    let mut bytes = vec![0; payloads + (packets * PAYLOAD) as usize];
    let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    // A packet's number on a stack has a tag above its index, so that none is 0, which ends a stack.
    let tag = packets.next_power_of_two();
    for index in 1..packets {
        put(headers + (index * header::BYTES) as usize, tag | (index - 1));
    }
    put(buffer::HEADERS, base + headers as u64);
    put(buffer::PAYLOADS, base + payloads as u64);
    put(buffer::DOORBELL, base + doorbell as u64);
    put(buffer::FREE_STACK, tag | (packets - 1));
    put(buffer::INDEX_MASK, tag - 1);
    put(doorbell + signal::KIND, signal::USER);
    put(doorbell + signal::MAILBOX, base + mailbox as u64);
    put(doorbell + signal::EVENT, 1);
    bytes
}

impl Hostcall {
    /// The host behind an [`area`] at `base`.
    pub fn new(base: u64, packets: u64) -> Hostcall {
        Hostcall { base, packets, open: Vec::new(), ended: Vec::new(), slots: 0 }
    }

    /// The messages that have ended.
    pub fn take_messages(&mut self) -> Vec<Vec<u64>> {
        std::mem::take(&mut self.ended)
    }

    /// Answers all packets that are ready, the first one first.
    ///
    /// # Errors
    ///
    /// What is asked that there is no answer to.
    pub fn answer(&mut self, global: &mut Global) -> Result<(), String> {
        let mask = read(global, self.base + buffer::INDEX_MASK as u64)?;
        let headers = read(global, self.base + buffer::HEADERS as u64)?;
        let payloads = read(global, self.base + buffer::PAYLOADS as u64)?;
        let ready = self.base + buffer::READY_STACK as u64;
        let mut number = read(global, ready)?;
        write(global, ready, 0)?;
        let mut packets = Vec::new();
        while number != 0 {
            if packets.len() as u64 == self.packets {
                return Err("hostcall: the stack of ready packets has no end".to_owned());
            }
            packets.push(number & mask);
            number = read(global, headers + (number & mask) * header::BYTES + header::NEXT)?;
        }
        for packet in packets.into_iter().rev() {
            let header = headers + packet * header::BYTES;
            let service = read(global, header + header::SERVICE)? as u32;
            if service != MESSAGES {
                let name = match service {
                    1 => " (a function of the host)",
                    3 => " (device memory: malloc, free)",
                    4 => " (the address sanitizer)",
                    _ => "",
                };
                return Err(format!("hostcall service {service}{name}"));
            }
            let lanes = read(global, header + header::ACTIVE_MASK)?;
            for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
                self.part(global, payloads + packet * PAYLOAD + lane * SLOTS * 8)?;
            }
            let control = global.slice_mut(header + header::CONTROL, 4).ok_or_else(outside)?;
            control[0] &= !(READY as u8);
        }
        Ok(())
    }

    /// A lane's part of a message, in the slots at `at`.
    fn part(&mut self, global: &mut Global, at: u64) -> Result<(), String> {
        let word = read(global, at)?;
        let length = word >> descriptor::LENGTH & (SLOTS - 1);
        let number = if word & descriptor::BEGIN == 0 {
            (word >> descriptor::NUMBER) as usize
        } else {
            let free = self.open.iter().position(Option::is_none).unwrap_or(self.open.len());
            if free == self.open.len() {
                self.open.push(None);
            }
            self.open[free] = Some(Vec::new());
            free
        };
        let Some(Some(message)) = self.open.get_mut(number) else {
            return Err(format!("hostcall: a part of message {number}, which has not begun"));
        };
        for slot in 1..=length {
            message.push(read(global, at + slot * 8)?);
        }
        self.slots += length as usize;
        if self.slots > MOST {
            return Err(format!("more than {MOST} arguments of printf in a launch"));
        }
        let answer = if word & descriptor::END == 0 {
            word & !(descriptor::BEGIN | u64::MAX << descriptor::NUMBER)
                | (number as u64) << descriptor::NUMBER
        } else {
            self.ended.extend(self.open[number].take());
            0
        };
        write(global, at, answer)
    }
}

fn outside() -> String {
    "hostcall: a packet outside of the buffer".to_owned()
}

fn read(global: &mut Global, at: u64) -> Result<u64, String> {
    let bytes = global.slice(at, 8).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u64::from_le_bytes).ok_or_else(outside)
}

fn write(global: &mut Global, at: u64, value: u64) -> Result<(), String> {
    global.slice_mut(at, 8).ok_or_else(outside)?.copy_from_slice(&value.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the device does with one packet, whose only lane is lane 3.
    fn call(global: &mut Global, host: &mut Hostcall, service: u32, slots: &[u64]) -> Result<u64, String> {
        let base = host.base;
        let headers = read(global, base + buffer::HEADERS as u64)?;
        let mask = read(global, base + buffer::INDEX_MASK as u64)?;
        let number = read(global, base + buffer::FREE_STACK as u64)?;
        let header = headers + (number & mask) * header::BYTES;
        let payload = read(global, base + buffer::PAYLOADS as u64)? + (number & mask) * PAYLOAD + 3 * 64;
        write(global, header + header::NEXT, 0)?;
        write(global, header + header::ACTIVE_MASK, 8)?;
        write(global, header + header::SERVICE, u64::from(service) | 1 << 32)?;
        for (slot, &value) in slots.iter().enumerate() {
            write(global, payload + slot as u64 * 8, value)?;
        }
        write(global, base + buffer::READY_STACK as u64, number)?;
        host.answer(global)?;
        assert_eq!(read(global, header + header::SERVICE)? >> 32, 0);
        assert_eq!(read(global, base + buffer::READY_STACK as u64)?, 0);
        read(global, payload)
    }

    fn host(packets: u64) -> (Global, Hostcall) {
        let mut global = Global::new();
        let contents = area(global.next_address(), packets);
        let base = global.allocate("hostcall", contents, true);
        (global, Hostcall::new(base, packets))
    }

    #[test]
    fn messages_are_put_together() {
        let (mut global, mut host) = host(3);
        let first = call(&mut global, &mut host, MESSAGES, &[2 << 5 | 1, 10, 11]);
        let second = call(&mut global, &mut host, MESSAGES, &[1 << 5 | 1, 20]);
        assert_eq!((first.clone(), second), (Ok(2 << 5), Ok(1 << 5 | 1 << 8)));
        assert_eq!(call(&mut global, &mut host, MESSAGES, &[1 << 5 | 2, 12]), Ok(0));
        assert_eq!(host.take_messages(), [[10, 11, 12]]);
        assert_eq!(call(&mut global, &mut host, MESSAGES, &[1 << 5 | 3, 30]), Ok(0));
        assert_eq!(host.take_messages(), [[30]]);
    }

    #[test]
    fn all_packets_are_on_the_free_stack() {
        for packets in [1, 2, 5, 8] {
            let (mut global, host) = host(packets);
            let headers = read(&mut global, host.base).unwrap_or_default();
            let mask = read(&mut global, host.base + buffer::INDEX_MASK as u64).unwrap_or_default();
            let mut number = read(&mut global, host.base + buffer::FREE_STACK as u64).unwrap_or_default();
            let mut seen = Vec::new();
            while number != 0 {
                seen.push(number & mask);
                number = read(&mut global, headers + (number & mask) * header::BYTES).unwrap_or_default();
            }
            assert_eq!(seen, (0..packets).rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_has_no_answer_is_named() {
        let (mut global, mut host) = host(2);
        let problem = call(&mut global, &mut host, 3, &[0]);
        assert_eq!(problem, Err("hostcall service 3 (device memory: malloc, free)".to_owned()));
        let problem = call(&mut global, &mut host, MESSAGES, &[9 << 8]);
        assert_eq!(problem, Err("hostcall: a part of message 9, which has not begun".to_owned()));
    }
}
