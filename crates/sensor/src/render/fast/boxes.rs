//! The tree of boxes with eight children a node, to be asked about all at once.

use super::bake::{Cluster, Node};
use super::simd::LANES;

/// Eight boxes of a tree and what is in them.
#[repr(align(64))]
pub(crate) struct Boxes {
    pub(crate) center: [[f32; LANES]; 3],
    pub(crate) half: [[f32; LANES]; 3],
    /// As of [`Cluster`]; of boxes with others in them one that never hides anything.
    pub(crate) cone: [[f32; LANES]; 4],
    pub(crate) radius: [f32; LANES],
    pub(crate) links: [Link; LANES],
    /// A bit for each lane that holds a box.
    pub(crate) used: u32,
}

/// What is in a box: a cluster or eight more boxes, by their indices, of the mesh or of its stand-ins.
#[derive(Clone, Copy)]
pub(crate) struct Link(u32);

impl Link {
    const CLUSTER: u32 = 1 << 31;
    const STAND_IN: u32 = 1 << 30;
    const INDEX: u32 = Self::STAND_IN - 1;

    pub(crate) fn cluster(self) -> Option<usize> {
        (self.0 & Self::CLUSTER != 0).then_some((self.0 & Self::INDEX) as usize)
    }

    pub(crate) fn boxes(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    /// Whether it is of the mesh's stand-ins.
    pub(crate) fn is_stand_in(self) -> bool {
        self.0 & Self::STAND_IN != 0
    }

    pub(crate) fn stand_in(self) -> Self {
        Self(self.0 | Self::STAND_IN)
    }

    /// What is in the root of a tree, whose eights begin with the one at `first`.
    pub(crate) fn of_root(root: &Node, first: usize) -> Self {
        Self(root.cluster().map_or(first as u32, |cluster| cluster as u32 | Self::CLUSTER))
    }
}

impl Boxes {
    const NOTHING: Self = Self {
        center: [[0.0; LANES]; 3],
        half: [[0.0; LANES]; 3],
        cone: [[0.0; LANES], [0.0; LANES], [0.0; LANES], [2.0; LANES]],
        radius: [1.0; LANES],
        links: [Link(0); LANES],
        used: 0,
    };

    /// The root of a tree alone.
    pub(crate) fn of_root(nodes: &[Node], clusters: &[Cluster]) -> Option<Self> {
        let root = nodes.first()?;
        let mut boxes = Self::NOTHING;
        boxes.put(0, root, clusters, Link::of_root(root, 0));
        Some(boxes)
    }

    fn put(&mut self, lane: usize, node: &Node, clusters: &[Cluster], link: Link) {
        for axis in 0..3 {
            self.center[axis][lane] = node.center[axis];
            self.half[axis][lane] = node.half[axis];
        }
        self.used |= 1 << lane;
        self.links[lane] = link;
        if let Some(cluster) = node.cluster().and_then(|cluster| clusters.get(cluster)) {
            for (list, value) in self.cone.iter_mut().zip(cluster.cone) {
                list[lane] = value;
            }
            self.radius[lane] = cluster.radius;
        }
    }

    /// Three levels of a tree of two children a node become one. Empty where the root is a cluster or
    /// there is none.
    pub(crate) fn of_tree(nodes: &[Node], clusters: &[Cluster]) -> Vec<Self> {
        let mut all = Vec::new();
        if !nodes.is_empty() {
            Self::push_tree(&mut all, nodes, 0, clusters);
        }
        all
    }

    /// Appends the eights of the tree whose root is the node at `root`, and returns what is in it.
    pub(crate) fn push_tree(
        all: &mut Vec<Self>,
        nodes: &[Node],
        root: usize,
        clusters: &[Cluster],
    ) -> Link {
        let first = all.len();
        // For each of the eights the node that they are made of.
        let mut roots: Vec<u32> = Vec::new();
        if nodes[root].cluster().is_none() {
            roots.push(root as u32);
        }
        let link = Link::of_root(&nodes[root], first);
        while let Some(&root) = roots.get(all.len() - first) {
            let mut inside = vec![root];
            for _ in 0..LANES.ilog2() {
                let open = |&index: &u32| match nodes[index as usize].cluster() {
                    Some(_) => vec![index],
                    None => nodes[index as usize].children(index).to_vec(),
                };
                inside = inside.iter().flat_map(open).collect();
            }
            let mut boxes = Self::NOTHING;
            for (lane, &index) in inside.iter().enumerate() {
                let node = &nodes[index as usize];
                let link = match node.cluster() {
                    Some(cluster) => Link(cluster as u32 | Link::CLUSTER),
                    None => {
                        roots.push(index);
                        Link((first + roots.len() - 1) as u32)
                    }
                };
                boxes.put(lane, node, clusters, link);
            }
            all.push(boxes);
        }
        link
    }
}
