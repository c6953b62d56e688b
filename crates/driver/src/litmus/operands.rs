//! The operands of an instruction in a litmus test, by their roles, and what registers hold at the beginning.

use std::collections::HashMap;

use wavemark_isa::effects::{Effects, RegUse};
use wavemark_memmodel::litmus::parse::Error;

use super::machine::fail;

/// What a register holds at the beginning.
pub(super) type Bindings<'t> = HashMap<(usize, &'t str), &'t str>;

/// The operands as written, without what stands behind the last.
fn operands(cell: &str) -> Vec<&str> {
    let rest = cell.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    rest.split(',').filter_map(|operand| operand.split_whitespace().next()).collect()
}

/// Where a cell stands, and what registers hold there at the beginning.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    pub thread: usize,
    pub at: usize,
    pub bindings: &'c Bindings<'c>,
}

/// The operands of an instruction, by their roles.
pub(super) struct Operands<'c> {
    pub place: Place<'c>,
    all: Vec<&'c str>,
    /// What is written, and what is read that is no address.
    written: Option<&'c str>,
    data: Option<&'c str>,
}

impl<'c> Operands<'c> {
    /// Those of a cell with these effects.
    pub fn of(place: Place<'c>, cell: &'c str, known: &Effects) -> Result<Operands<'c>, Error> {
        let all = operands(cell);
        let operand = |used: &RegUse| all.get(usize::from(used.operand?)).copied();
        let named = |wanted: &dyn Fn(&RegUse) -> bool| {
            known.regs.iter().filter(|used| wanted(used)).find_map(&operand)
        };
        let memory = known.memory.is_some();
        let written = named(&|used| memory && used.write && !used.address);
        let data = named(&|used| memory && used.read && !used.write && !used.address);
        let operands = Operands { place, written, data, all: all.clone() };
        let is_location =
            |operand: &str| operands.bound(operand).is_some_and(|name| name.starts_with(char::is_uppercase));
        let mut addresses = known.regs.iter().filter(|used| memory && used.address).filter_map(&operand);
        match addresses.find(|operand| !is_location(operand)) {
            Some(part) => {
                fail(place.at, format!("`{part}` is a part of the address: bind an address to its location"))
            }
            None => Ok(operands),
        }
    }

    pub fn bound(&self, operand: &str) -> Option<&'c str> {
        self.place.bindings.get(&(self.place.thread, operand)).copied()
    }

    /// The model's name of the register that is loaded; empty if there is none.
    pub fn result(&self) -> String {
        self.written.map_or_else(String::new, |operand| self.register(operand))
    }

    /// The locations that operands are the addresses of, those in LDS or not.
    pub fn location(&self, lds: bool) -> Result<&str, Error> {
        // Copies to LDS of gfx9 have their LDS address in M0.
        let m0 = self.bound("m0").filter(|name| name.starts_with(char::is_uppercase));
        let named = self.all.iter().filter_map(|operand| self.bound(operand)).chain(m0);
        let mut named =
            named.filter(|name| name.starts_with(char::is_uppercase) && name.starts_with('L') == lds);
        let what = if lds { "in LDS (named L…)" } else { "in global memory" };
        match named.next() {
            Some(name) => Ok(name),
            None => fail(
                self.place.at,
                format!("no operand is bound to a location {what}: `0:v1 = NAME` says what it holds"),
            ),
        }
    }

    /// The model's name of a register that is loaded: its first dword.
    fn register(&self, operand: &str) -> String {
        operand.replace('[', "").split([':', ']']).next().unwrap_or("").to_owned()
    }

    /// What is stored: a number that the register holds, or what was loaded to it.
    pub fn value(&self) -> String {
        self.data.map_or_else(String::new, |operand| {
            self.bound(operand).map_or_else(|| self.register(operand), str::to_owned)
        })
    }

    pub fn immediate(&self) -> Result<&str, Error> {
        match self.all.first() {
            Some(id) if id.parse::<i32>().is_ok() => Ok(id),
            _ => fail(self.place.at, "the id of a barrier is written as a number here"),
        }
    }
}
