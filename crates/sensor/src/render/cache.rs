//! What is made of meshes and textures once, however many scenes hold them.

use std::sync::Arc;

/// For each source what is made of it, taken from `known` (sources and what was made of them) where
/// the same one is there, and made once where it occurs twice.
pub(crate) fn made<S, M>(
    sources: &[Arc<S>],
    known: Option<(&[Arc<S>], &[Arc<M>])>,
    make: impl Fn(&S) -> M,
) -> Vec<Arc<M>> {
    // Sorted by address, for finding alone: no result depends on the order.
    let address = |source: &Arc<S>| Arc::as_ptr(source).addr();
    let mut found: Vec<(usize, Arc<M>)> = known
        .iter()
        .flat_map(|(sources, made)| sources.iter().zip(*made))
        .map(|(source, made)| (address(source), Arc::clone(made)))
        .collect();
    found.sort_unstable_by_key(|&(address, _)| address);
    found.dedup_by_key(|&mut (address, _)| address);
    sources
        .iter()
        .map(|source| match found.binary_search_by_key(&address(source), |&(address, _)| address) {
            Ok(at) => Arc::clone(&found[at].1),
            Err(at) => {
                let made = Arc::new(make(source));
                found.insert(at, (address(source), Arc::clone(&made)));
                made
            }
        })
        .collect()
}
