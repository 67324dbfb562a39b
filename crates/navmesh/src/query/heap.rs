//! Detour's open list: a binary heap whose order among equal costs decides between equal paths.

/// Nodes by cost, cheapest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenList {
    heap: Vec<(f32, u32)>,
}

impl OpenList {
    pub(crate) fn clear(&mut self) {
        self.heap.clear();
    }

    pub(crate) fn push(&mut self, cost: f32, node: u32) {
        self.heap.push((cost, node));
        self.rise(self.heap.len() - 1, (cost, node));
    }

    /// The cheapest node.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let first = self.heap.first()?.1;
        let last = self.heap.pop()?;
        let size = self.heap.len();
        if size > 0 {
            // Sink the hole to the bottom, then let the last node rise into it.
            let mut hole = 0;
            let mut child = 1;
            while child < size {
                if child + 1 < size && self.heap[child].0 > self.heap[child + 1].0 {
                    child += 1;
                }
                self.heap[hole] = self.heap[child];
                hole = child;
                child = hole * 2 + 1;
            }
            self.rise(hole, last);
        }
        Some(first)
    }

    /// Gives a node that is in the list a lower cost.
    pub(crate) fn lower(&mut self, cost: f32, node: u32) {
        if let Some(at) = self.heap.iter().position(|(_, other)| *other == node) {
            self.rise(at, (cost, node));
        }
    }

    fn rise(&mut self, mut at: usize, entry: (f32, u32)) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.heap[parent].0 > entry.0 {
                self.heap[at] = self.heap[parent];
                at = parent;
            } else {
                break;
            }
        }
        self.heap[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_comes_first_after_a_change() {
        let mut open = OpenList::default();
        for (node, cost) in [5.0, 3.0, 8.0, 1.0, 9.0].into_iter().enumerate() {
            open.push(cost, node as u32);
        }
        open.lower(0.5, 4);
        let order: Vec<u32> = std::iter::from_fn(|| open.pop()).collect();
        assert_eq!(order, [4, 3, 1, 0, 2]);
    }
}
