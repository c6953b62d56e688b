//! Synchronization scopes (LLVM's *AMDGPU usage*, memory scopes), and where threads stand in them.
//!
//! The model is HRF-indirect with scope inclusion: two operations synchronize if each is in the other's scope instance,
//! whether or not they name the same scope.

/// A scope, the narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `singlethread`.
    Thread,
    /// `wavefront`.
    Wave,
    /// `workgroup`.
    Workgroup,
    /// `cluster`.
    Cluster,
    /// `agent`.
    Agent,
    /// The default.
    System,
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 6] =
        [Scope::Thread, Scope::Wave, Scope::Workgroup, Scope::Cluster, Scope::Agent, Scope::System];

    /// LLVM's name; empty for the system.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Thread => "singlethread",
            Scope::Wave => "wavefront",
            Scope::Workgroup => "workgroup",
            Scope::Cluster => "cluster",
            Scope::Agent => "agent",
            Scope::System => "",
        }
    }
}

/// Where a thread stands: the number of its agent, of its cluster there, and so on down to the thread of its wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub [u8; 5]);

impl Place {
    /// Whether two threads are in one instance of `scope`.
    pub fn shares(self, other: Place, scope: Scope) -> bool {
        let levels = match scope {
            Scope::System => 0,
            Scope::Agent => 1,
            Scope::Cluster => 2,
            Scope::Workgroup => 3,
            Scope::Wave => 4,
            Scope::Thread => 5,
        };
        self.0[..levels] == other.0[..levels]
    }

    /// Whether each of two operations, at these places and with these scopes, is in the other's scope instance.
    pub fn inclusive(self, scope: Scope, other: Place, others: Scope) -> bool {
        self.shares(other, scope) && self.shares(other, others)
    }
}

/// Address spaces that order is about, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spaces(u8);

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Global memory.
    Global,
    /// The workgroup's LDS.
    Local,
}

impl Space {
    /// Both.
    pub const ALL: [Space; 2] = [Space::Global, Space::Local];
}

impl Spaces {
    /// Both.
    pub const ALL: Spaces = Spaces(3);
    /// Neither.
    pub const NONE: Spaces = Spaces(0);

    /// One.
    pub fn of(space: Space) -> Spaces {
        Spaces(1 << space as u8)
    }

    /// Whether `space` is in the set.
    pub fn has(self, space: Space) -> bool {
        self.0 >> space as u8 & 1 != 0
    }

    /// Those of either.
    pub fn union(self, other: Spaces) -> Spaces {
        Spaces(self.0 | other.0)
    }

    /// Those of both.
    pub fn common(self, other: Spaces) -> Spaces {
        Spaces(self.0 & other.0)
    }
}
