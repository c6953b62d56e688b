//! Buffers at run time: instances, how they lie, and what is known of each element.

use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_budget::room_for;

use super::number;
use crate::dtype::Element;

/// Elements of all instances of a run together.
const MOST_ELEMENTS: u64 = 1 << 26;

/// Extents and strides of a buffer, in elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub dims: SmallVec<[(u64, i64); 4]>,
}

impl Layout {
    /// Row-major without gaps.
    pub fn compact(shape: &[u64]) -> Layout {
        let mut dims: SmallVec<[(u64, i64); 4]> = shape.iter().map(|&extent| (extent, 0)).collect();
        let mut stride = 1i64;
        for dim in dims.iter_mut().rev() {
            dim.1 = stride;
            stride = stride.saturating_mul(i64::try_from(dim.0).unwrap_or(i64::MAX));
        }
        Layout { dims }
    }

    /// Elements from the first to the last and the last; `None` when too many or when a stride is negative.
    pub fn span(&self) -> Option<u64> {
        if self.dims.iter().any(|dim| dim.0 == 0) {
            return Some(0);
        }
        let mut last = 0u64;
        for &(extent, stride) in &self.dims {
            let stride = u64::try_from(stride).ok()?;
            last = last.checked_add((extent - 1).checked_mul(stride)?)?;
        }
        last.checked_add(1).filter(|&span| span <= MOST_ELEMENTS)
    }

    /// The indices of the element at an offset (of the one with the largest outer indices, where several are).
    pub fn indices(&self, offset: u64) -> Vec<i64> {
        let mut rest = offset as i64;
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        order.sort_by_key(|&dim| std::cmp::Reverse(self.dims[dim].1));
        let mut indices = vec![0; self.dims.len()];
        for dim in order {
            let (extent, stride) = self.dims[dim];
            if stride > 0 && extent > 1 {
                indices[dim] = rest / stride;
                rest %= stride;
            }
        }
        indices
    }
}

/// What is known of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The member whose write is in flight; 0: none.
    pub writer: u32,
    /// The last member that will read it, when `readers` is not 0.
    pub reader: u32,
    /// How many members will read it.
    pub readers: u32,
    /// Nobody wrote it, although somebody should have.
    pub undefined: bool,
}

/// One life of a buffer.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// Index into the program's buffers.
    pub buffer: u32,
    pub layout: u32,
    /// Registers, by element offset.
    pub values: Vec<u64>,
    pub cells: Vec<Cell>,
    /// Elements that one thread has, when each has its own.
    pub span: u64,
    /// Made inside an asynchronous statement: nobody else sees it.
    pub own: bool,
}

/// All instances.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub instances: Vec<Instance>,
    pub layouts: Vec<Layout>,
    free: Vec<u32>,
    /// Out of scope, but something in flight may still touch them.
    zombies: Vec<u32>,
    elements: u64,
}

impl Memory {
    /// The id of a layout; the same for equal ones that come one after the other.
    pub fn layout(&mut self, layout: Layout, known: u32) -> u32 {
        if self.layouts.get(known as usize) == Some(&layout) {
            return known;
        }
        if let Some(at) = self.layouts.iter().rev().take(64).position(|known| *known == layout) {
            return (self.layouts.len() - 1 - at) as u32;
        }
        self.layouts.push(layout);
        self.layouts.len() as u32 - 1
    }

    /// A new instance of `count` times `span` elements, undefined; `None` when [`MOST_ELEMENTS`] or the budget are
    /// used up.
    pub fn create(
        &mut self,
        buffer: u32,
        element: Element,
        layout: u32,
        span: u64,
        count: u64,
    ) -> Option<u32> {
        let elements = span.checked_mul(count)?;
        let all = self.elements.checked_add(elements).filter(|&all| all <= MOST_ELEMENTS)?;
        room_for(elements * (size_of::<u64>() + size_of::<Cell>()) as u64).ok()?;
        self.elements = all;
        let id = self.free.pop().unwrap_or(self.instances.len() as u32);
        if id as usize == self.instances.len() {
            self.instances.push(Instance::default());
        }
        let instance = &mut self.instances[id as usize];
        *instance = Instance {
            buffer,
            layout,
            span,
            own: false,
            values: std::mem::take(&mut instance.values),
            cells: std::mem::take(&mut instance.cells),
        };
        instance.values.clear();
        instance.values.resize(elements as usize, number::poison(element));
        instance.cells.clear();
        instance.cells.resize(elements as usize, Cell { undefined: true, ..Cell::default() });
        Some(id)
    }

    /// Gives an instance up; `busy`: something in flight may still touch it.
    pub fn release(&mut self, id: u32, busy: bool) {
        let instance = &self.instances[id as usize];
        self.elements -= instance.values.len() as u64;
        if busy && !instance.own {
            self.zombies.push(id);
        } else {
            self.free.push(id);
        }
    }

    /// Nothing is in flight any more.
    pub fn quiet(&mut self) {
        self.free.append(&mut self.zombies);
    }
}

/// Names and types of the program's buffers are shared with reports.
pub(super) fn element_name(name: &Arc<str>, indices: &[i64]) -> String {
    let indices: Vec<String> = indices.iter().map(i64::to_string).collect();
    format!("{name}[{}]", indices.join(", "))
}
