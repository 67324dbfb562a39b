//! A plane through points, by principal components.

use ambler_geometry::{DVec3, Vec3};
use glam::DMat3;

/// A plane: its points p satisfy `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// Length 1, never pointing down.
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
}

impl Plane {
    /// Distance of a point, positive above.
    pub(crate) fn distance(&self, point: Vec3) -> f64 {
        self.normal.dot(point.as_dvec3()) - self.offset
    }

    /// Height of the plane at (x, z).
    pub(crate) fn y_at(&self, x: f64, z: f64) -> f64 {
        (self.offset - self.normal.x * x - self.normal.z * z) / self.normal.y
    }
}

/// The plane that the squared distances of the points are least from; `None` for fewer than three points.
pub(crate) fn fit(points: impl Iterator<Item = Vec3> + Clone) -> Option<Plane> {
    let (mut count, mut sum) = (0.0, DVec3::ZERO);
    for point in points.clone() {
        count += 1.0;
        sum += point.as_dvec3();
    }
    if count < 3.0 {
        return None;
    }
    let mean = sum / count;
    let mut spread = DMat3::ZERO;
    for point in points {
        let d = point.as_dvec3() - mean;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let mut normal = least_axis(spread);
    if normal.y < 0.0 {
        normal = -normal;
    }
    normal.is_finite().then(|| Plane { normal, offset: normal.dot(mean) })
}

/// The eigenvector of the smallest eigenvalue of a symmetric matrix (Jacobi rotations).
fn least_axis(matrix: DMat3) -> DVec3 {
    let mut a = matrix.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..32 {
        let (mut p, mut q) = (0, 1);
        for (i, j) in [(0, 2), (1, 2)] {
            if a[i][j].abs() > a[p][q].abs() {
                (p, q) = (i, j);
            }
        }
        if a[p][q].abs() <= 1e-15 * (a[0][0] + a[1][1] + a[2][2]).abs() {
            break;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
        let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        for k in 0..3 {
            let (kp, kq) = (a[k][p], a[k][q]);
            a[k][p] = c * kp - s * kq;
            a[k][q] = s * kp + c * kq;
        }
        for k in 0..3 {
            let (pk, qk) = (a[p][k], a[q][k]);
            a[p][k] = c * pk - s * qk;
            a[q][k] = s * pk + c * qk;
        }
        for axis in 0..3 {
            let (vp, vq) = (axes[p][axis], axes[q][axis]);
            axes[p][axis] = c * vp - s * vq;
            axes[q][axis] = s * vp + c * vq;
        }
    }
    let least = (0..3).min_by(|&i, &j| a[i][i].total_cmp(&a[j][j])).unwrap_or(1);
    DVec3::from_array(axes[least]).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilted_plane_is_found_to_the_last_digits() {
        let normal = DVec3::new(0.1, 0.98, -0.05).normalize();
        let points = (0..400).map(move |i| {
            let (x, z) = (f64::from(i % 20) * 0.05, f64::from(i / 20) * 0.03);
            DVec3::new(x, (0.7 - normal.x * x - normal.z * z) / normal.y, z).as_vec3()
        });
        let found = fit(points).unwrap();
        assert!(found.normal.dot(normal) > 1.0 - 1e-9, "{}", found.normal);
        assert!((found.offset - 0.7).abs() < 1e-6);
        assert!(fit(std::iter::empty()).is_none());
    }
}
