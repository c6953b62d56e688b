//! Statements.

use wavemark_budget::room_for;

use super::NegativeWait;
use super::code::{Allocation, Block, Commit, For, Match, Node, Sharing, SiteId, Threads, View, Wait};
use super::finding::FaultKind;
use super::machine::{BufferRef, Env, Frame, Lanes, Machine, Mode, Run};
use super::memory::Layout;

/// Threads of a workgroup.
const MOST_THREADS: i64 = 1 << 16;

impl<'p> Machine<'p> {
    /// Executes a statement for the threads of `lanes`, of which there is at least one.
    pub fn exec(&mut self, node: &'p Node, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        match node {
            Node::Nop => Ok(()),
            Node::Seq(nodes) => {
                for node in nodes {
                    self.exec(node, frame, lanes)?;
                }
                Ok(())
            }
            Node::For(node) => self.loop_(node, frame, lanes),
            Node::Threads(node) => self.threads(node, frame, lanes),
            Node::Block(node) => self.block(node, frame, lanes),
            Node::Store(node) => {
                for &lane in lanes {
                    if self.mode == Mode::Land && !self.landing.next() {
                        continue;
                    }
                    let env = frame.env(lane);
                    self.step(node.access.site, env)?;
                    let value = self.value(&node.value, env)?;
                    self.store(&node.access, value, env)?;
                }
                self.ran()
            }
            Node::If(node) => {
                if let &[lane] = lanes {
                    let condition = self.int(&node.condition, frame.env(lane))? != 0;
                    return match (&node.otherwise, condition) {
                        (_, true) => self.exec(&node.then, frame, lanes),
                        (Some(otherwise), false) => self.exec(otherwise, frame, lanes),
                        (None, false) => Ok(()),
                    };
                }
                let (mut then, mut other) = (Lanes::new(), Lanes::new());
                for &lane in lanes {
                    let condition = self.int(&node.condition, frame.env(lane))? != 0;
                    if condition { then.push(lane) } else { other.push(lane) }
                }
                if !then.is_empty() {
                    self.exec(&node.then, frame, &then)?;
                }
                match &node.otherwise {
                    Some(otherwise) if !other.is_empty() => self.exec(otherwise, frame, &other),
                    _ => Ok(()),
                }
            }
            Node::Let(node) => {
                let (place, value, body) = &**node;
                for &lane in lanes {
                    let value = self.value(value, frame.env(lane))?;
                    frame.set(lane, *place, value as i64);
                }
                self.exec(body, frame, lanes)
            }
            Node::Evaluate(value) => {
                for &lane in lanes {
                    self.value(value, frame.env(lane))?;
                }
                self.ran()
            }
            Node::Commit(node) => self.commit_scope(node, frame, lanes),
            Node::Wait(node) => self.wait_scope(node, frame, lanes),
            Node::Async(node) => {
                self.issue(node, frame, lanes)?;
                self.ran()
            }
        }
    }

    /// A statement has run.
    #[inline]
    fn ran(&mut self) -> Run<()> {
        if self.mode == Mode::Now { self.occasion() } else { Ok(()) }
    }

    /// The values that a loop takes in one thread: the first, the distance, how many.
    fn bounds(&mut self, node: &'p For, env: Env<'_>) -> Run<(i64, i64, u64)> {
        let min = self.int(&node.min, env)?;
        let extent = self.int(&node.extent, env)?.max(0) as u64;
        let Some(step) = &node.step else { return Ok((min, 1, extent)) };
        let step = self.int(step, env)?;
        if step <= 0 {
            return self.stop(FaultKind::Step(step), node.site, env);
        }
        Ok((min, step, extent.div_ceil(step as u64)))
    }

    fn loop_(&mut self, node: &'p For, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        if let &[lane] = lanes {
            let (min, step, count) = self.bounds(node, frame.env(lane))?;
            let mut value = min;
            for _ in 0..count {
                frame.set(lane, node.var, value);
                self.step(node.site, frame.env(lane))?;
                self.exec(&node.body, frame, lanes)?;
                value = value.wrapping_add(step);
            }
            return Ok(());
        }
        let mut all = Vec::with_capacity(lanes.len());
        for &lane in lanes {
            let (min, step, count) = self.bounds(node, frame.env(lane))?;
            all.push((lane, min, step, count));
        }
        let mut running = Lanes::new();
        let mut round = 0u64;
        loop {
            running.clear();
            for &(lane, min, step, count) in &all {
                if round < count {
                    frame.set(lane, node.var, min.wrapping_add(step.wrapping_mul(round as i64)));
                    running.push(lane);
                }
            }
            let Some(&first) = running.first() else { return Ok(()) };
            self.step(node.site, frame.env(first))?;
            self.exec(&node.body, frame, &running)?;
            round += 1;
        }
    }

    fn threads(&mut self, node: &'p Threads, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        let min = self.uniform(&node.min, frame, lanes, node.site, "the start of a loop over threads")?;
        let extent =
            self.uniform(&node.extent, frame, lanes, node.site, "the extent of a loop over threads")?;
        if node.workgroups {
            let (&[lane], true) = (lanes, frame.threads() == 1) else {
                let what = "workgroups inside threads".to_owned();
                return self.stop(FaultKind::Unsupported(what), node.site, frame.env(lanes[0]));
            };
            if self.pending > 0 {
                let what = "an asynchronous statement in flight when workgroups start".to_owned();
                return self.stop(FaultKind::Unsupported(what), node.site, frame.env(lane));
            }
            for index in 0..extent.max(0) {
                frame.set(lane, node.var, min.wrapping_add(index));
                self.step(node.site, frame.env(lane))?;
                self.exec(&node.body, frame, lanes)?;
                self.drain()?;
            }
            return Ok(());
        }
        let count = extent.max(0).saturating_mul(lanes.len() as i64);
        if count > MOST_THREADS {
            let what = format!("{count} threads in a workgroup");
            return self.stop(FaultKind::Unsupported(what), node.site, frame.env(lanes[0]));
        }
        if count == 0 {
            return Ok(());
        }
        if room_for(count as u64 * (frame.width * size_of::<i64>()) as u64).is_err() {
            return self.stop(FaultKind::MemoryLimit, node.site, frame.env(lanes[0]));
        }
        let mut wider = self.frame(count as usize);
        wider.buffers.copy_from_slice(&frame.buffers);
        let width = frame.width;
        for (index, row) in wider.rows.chunks_exact_mut(width).enumerate() {
            let lane = lanes[index / extent as usize];
            row.copy_from_slice(frame.env(lane).row);
            row[node.var as usize] = min.wrapping_add((index % extent as usize) as i64);
        }
        let everyone: Lanes = (0..count as u32).collect();
        let result = self.exec(&node.body, &mut wider, &everyone);
        self.spare_frames.push(wider);
        result
    }

    fn block(&mut self, node: &'p Block, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        let mut holds = Lanes::new();
        let mut lanes = lanes;
        if let Some(predicate) = &node.predicate {
            for &lane in lanes {
                if self.int(predicate, frame.env(lane))? != 0 {
                    holds.push(lane);
                }
            }
            if holds.is_empty() {
                return Ok(());
            }
            lanes = &holds;
        }
        for &lane in lanes {
            for (place, value) in &node.axes {
                let value = self.int(value, frame.env(lane))?;
                frame.set(lane, *place, value);
            }
        }
        for allocation in &node.allocations {
            self.allocate(allocation, frame, lanes)?;
        }
        for view in &node.views {
            self.view(view, frame, lanes)?;
        }
        if let Some(init) = &node.init {
            let mut first = Lanes::new();
            'lanes: for &lane in lanes {
                for (place, min) in &init.first {
                    let min = self.int(min, frame.env(lane))?;
                    if frame.env(lane).row[*place as usize] != min {
                        continue 'lanes;
                    }
                }
                first.push(lane);
            }
            if !first.is_empty() {
                self.exec(&init.body, frame, &first)?;
            }
        }
        self.exec(&node.body, frame, lanes)?;
        for allocation in &node.allocations {
            let id = frame.buffers[allocation.slot.index as usize].instance;
            let busy = self.in_use(id);
            self.memory.release(id, busy);
        }
        Ok(())
    }

    fn allocate(&mut self, node: &'p Allocation, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        let mut shape = smallvec::SmallVec::<[u64; 4]>::new();
        let name = |this: &Self| this.code.buffers[node.buffer as usize].name.to_string();
        for extent in &node.shape {
            let extent = self.uniform(extent, frame, lanes, node.site, "an extent of a buffer")?;
            let Ok(extent) = u64::try_from(extent) else {
                let what = format!("buffer `{}` has the extent {extent}", name(self));
                return self.stop(FaultKind::Buffer(what), node.site, frame.env(lanes[0]));
            };
            shape.push(extent);
        }
        let mut layout = Layout::compact(&shape);
        for (dim, stride) in node.strides.iter().enumerate() {
            layout.dims[dim].1 = self.uniform(stride, frame, lanes, node.site, "a stride of a buffer")?;
        }
        let several = frame.threads() > 1;
        if several && node.sharing == Sharing::Unmodelled {
            let what = format!("buffer `{}` of its scope inside a loop over threads", name(self));
            return self.stop(FaultKind::Unsupported(what), node.site, frame.env(lanes[0]));
        }
        let each = several && node.sharing == Sharing::Thread;
        let count = if each { frame.threads() as u64 } else { 1 };
        let element = self.code.buffers[node.buffer as usize].element;
        let known = frame.buffers[node.slot.index as usize].layout;
        let span = layout.span();
        let id = self.memory.layout(layout, known);
        let created = span.and_then(|span| self.memory.create(node.buffer, element, id, span, count));
        let (Some(instance), Some(span)) = (created, span) else {
            let what =
                format!("buffer `{}` of shape {shape:?} is too large or has a negative stride", name(self));
            return self.stop(FaultKind::Buffer(what), node.site, frame.env(lanes[0]));
        };
        self.memory.instances[instance as usize].own = self.mode != Mode::Now;
        // Filling it takes time, too.
        self.steps = self.steps.saturating_add(span.saturating_mul(count) / 64);
        frame.buffers[node.slot.index as usize] = BufferRef { instance, layout: id };
        for &lane in lanes {
            frame.set(lane, node.slot.base, if each { i64::from(lane) * span as i64 } else { 0 });
        }
        Ok(())
    }

    fn view(&mut self, node: &'p View, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        let source = frame.buffers[node.source.index as usize];
        let dims = self.memory.layouts[source.layout as usize].dims.clone();
        let skipped = dims.len() - node.shape.len();
        let mut layout = Layout::default();
        for (dim, (_, extent)) in node.ranges.iter().enumerate() {
            let extent = self.uniform(extent, frame, lanes, node.site, "the extent of a region")?;
            if dim < skipped && extent != 1 {
                let what = format!("a region of {extent} in a dimension that its other name does not have");
                return self.stop(FaultKind::Mismatch(what), node.site, frame.env(lanes[0]));
            }
            if dim >= skipped {
                layout.dims.push((extent.max(0) as u64, dims[dim].1));
            }
        }
        for &lane in lanes {
            let mut base = frame.env(lane).row[node.source.base as usize];
            for ((min, _), (_, stride)) in node.ranges.iter().zip(&dims) {
                base = base.wrapping_add(self.int(min, frame.env(lane))?.wrapping_mul(*stride));
            }
            frame.set(lane, node.slot.base, base);
            for (matched, (extent, stride)) in node.shape.iter().zip(&layout.dims) {
                self.matched(matched, *extent as i64, frame, lane, node, "extent")?;
                debug_assert!(*stride >= 0);
            }
            for (matched, (extent, stride)) in node.strides.iter().zip(&layout.dims) {
                if matches!(matched, Match::Bind(_)) || *extent > 1 {
                    self.matched(matched, *stride, frame, lane, node, "stride")?;
                }
            }
            if let Some(offset @ Match::Bind(_)) = &node.offset {
                self.matched(offset, base, frame, lane, node, "offset")?;
            }
        }
        self.clip(node, &dims, &mut layout, frame, lanes)?;
        let known = frame.buffers[node.slot.index as usize].layout;
        let layout = self.memory.layout(layout, known);
        frame.buffers[node.slot.index as usize] = BufferRef { instance: source.instance, layout };
        Ok(())
    }

    /// What a region has beyond its source is out of bounds by its other name, too.
    fn clip(
        &mut self,
        node: &'p View,
        source: &[(u64, i64)],
        layout: &mut Layout,
        frame: &Frame,
        lanes: &[u32],
    ) -> Run<()> {
        let skipped = source.len() - layout.dims.len();
        for (dim, (min, _)) in node.ranges.iter().enumerate() {
            // The least that any thread has left.
            let mut left = i64::MAX;
            for &lane in lanes {
                let min = self.int(min, frame.env(lane))?;
                let extent = i64::try_from(source[dim].0).unwrap_or(i64::MAX);
                left = left.min(if min < 0 { 0 } else { extent.saturating_sub(min) });
            }
            let left = left.max(0) as u64;
            match dim.checked_sub(skipped) {
                Some(own) => layout.dims[own].0 = layout.dims[own].0.min(left),
                None if left == 0 => layout.dims.iter_mut().for_each(|dim| dim.0 = 0),
                None => {}
            }
        }
        Ok(())
    }

    fn matched(
        &mut self,
        matched: &'p Match,
        value: i64,
        frame: &mut Frame,
        lane: u32,
        node: &'p View,
        what: &str,
    ) -> Run<()> {
        match matched {
            Match::Bind(place) => frame.set(lane, *place, value),
            Match::Equal(expected) => {
                let expected = self.int(expected, frame.env(lane))?;
                if expected != value {
                    let name = &self.code.buffers[node.buffer as usize].name;
                    let what = format!("`{name}` has the {what} {expected}, its region {value}");
                    return self.stop(FaultKind::Mismatch(what), node.site, frame.env(lane));
                }
            }
        }
        Ok(())
    }

    /// All threads of the frame must be there.
    fn together(&mut self, frame: &Frame, lanes: &[u32], site: SiteId, what: &str) -> Run<()> {
        if lanes.len() == frame.threads() {
            return Ok(());
        }
        let what = format!("{what} that not all threads reach");
        self.stop(FaultKind::Unsupported(what), site, frame.env(lanes[0]))
    }

    fn commit_scope(&mut self, node: &'p Commit, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        self.together(frame, lanes, node.site, "a commit")?;
        let queue = self.uniform(&node.queue, frame, lanes, node.site, "a queue")?;
        let group = self.new_group(Some(queue));
        self.building.push(group);
        self.exec(&node.body, frame, lanes)?;
        if let Some(group) = self.building.pop() {
            self.commit(group)?;
        }
        self.ran()
    }

    fn wait_scope(&mut self, node: &'p Wait, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        self.together(frame, lanes, node.site, "a wait")?;
        let queue = self.uniform(&node.queue, frame, lanes, node.site, "a queue")?;
        let count = self.uniform(&node.count, frame, lanes, node.site, "a wait count")?;
        match (u64::try_from(count), self.negative_wait) {
            (Ok(count), _) => self.wait(queue, count)?,
            (Err(_), NegativeWait::Flush) => self.wait(queue, 0)?,
            (Err(_), NegativeWait::Nop) => {}
        }
        self.ran()?;
        self.exec(&node.body, frame, lanes)
    }
}
