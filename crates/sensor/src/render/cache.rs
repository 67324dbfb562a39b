//! What is made of meshes and textures once, however many scenes hold them.

use rayon::prelude::*;
use std::sync::Arc;

/// For each source what is made of it, taken from `known` (sources and what was made of them) where
/// the same one is there, and made once where it occurs twice. Several are made side by side.
pub(crate) fn made<S: Send + Sync, M: Send + Sync>(
    sources: &[Arc<S>],
    known: Option<(&[Arc<S>], &[Arc<M>])>,
    make: impl Fn(&S) -> M + Sync,
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
    let place = |found: &[(usize, Arc<M>)], source: &Arc<S>| {
        found.binary_search_by_key(&address(source), |&(address, _)| address)
    };
    let mut new: Vec<&Arc<S>> =
        sources.iter().filter(|&source| place(&found, source).is_err()).collect();
    new.sort_unstable_by_key(|&source| address(source));
    new.dedup_by_key(|source| address(source));
    // One alone is made here: threads are not started for a cube.
    let made: Vec<(usize, Arc<M>)> = match new[..] {
        [one] => vec![(address(one), Arc::new(make(one)))],
        _ => new.par_iter().map(|source| (address(source), Arc::new(make(source)))).collect(),
    };
    found.extend(made);
    found.sort_unstable_by_key(|&(address, _)| address);
    let get = |source| place(&found, source).ok().map(|at| Arc::clone(&found[at].1));
    sources.iter().filter_map(get).collect()
}
