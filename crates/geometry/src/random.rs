//! Seeded randomness whose values never change with a library's release: ChaCha8 keyed by a hash
//! of what it is for, and our own uniform, normal and shuffle on top.
//!
//! ```
//! use ambler_geometry::random::Stream;
//! let mut a = Stream::new(7, "episode-3", "start");
//! let mut b = Stream::new(7, "episode-3", "start");
//! assert_eq!(a.uniform(), b.uniform());
//! assert_ne!(a.next_u64(), Stream::new(7, "episode-3", "goal").next_u64());
//! ```

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// A stream of random numbers for one purpose.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream for a run seed, an identity (of an episode, a scene) and a purpose. Each part
    /// enters the key with its length, so that no two triples share a stream.
    pub fn new(run_seed: u64, identity: &str, purpose: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"ambler stream 1");
        hasher.update(&run_seed.to_le_bytes());
        for part in [identity, purpose] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in 0..count, without bias; 0 for an empty range.
    pub fn index(&mut self, count: usize) -> usize {
        let count = count as u64;
        if count <= 1 {
            return 0;
        }
        // Lemire's method with rejection.
        let threshold = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(count);
            if product as u64 >= threshold {
                return (product >> 64) as usize;
            }
        }
    }

    /// Standard normal (mean 0, variance 1), by Box–Muller; one value a call.
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Fisher–Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_and_normal_have_their_moments() {
        let mut stream = Stream::new(1, "", "moments");
        let n = 40_000;
        let mean = (0..n).map(|_| stream.uniform()).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.01, "mean of uniform {mean}");
        let normals: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(n);
        let variance = normals.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn shuffle_is_a_permutation_and_index_covers_its_range() {
        let mut stream = Stream::new(2, "", "shuffle");
        let mut items: Vec<u32> = (0..100).collect();
        stream.shuffle(&mut items);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<u32>>());
        assert_ne!(items, sorted);
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            seen[stream.index(6)] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }

    #[test]
    fn boundaries_between_identity_and_purpose_matter() {
        let mut ab_c = Stream::new(0, "ab", "c");
        let mut a_bc = Stream::new(0, "a", "bc");
        assert_ne!(ab_c.next_u64(), a_bc.next_u64());
    }
}
