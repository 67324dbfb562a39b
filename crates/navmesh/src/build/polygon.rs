//! Convex polygons from outlines: shared corners, triangles merged where the result stays convex,
//! neighbours. Follows Recast's `rcBuildPolyMesh`.
//!
//! Not taken from `rerecast`: it gives up on an outline that crosses itself, where Recast keeps
//! the triangles found so far; and it looks at every pair of polygons again after each merge.

use std::collections::HashMap;

use super::contour::Contour;
use super::ear::triangulate;
use crate::NavMeshError;

/// Recast's mark for "no corner" and "no neighbour".
pub(super) const NONE: u16 = 0xffff;
/// Corners are 16-bit numbers and 65,535 is a mark.
const MAX_CORNERS: usize = 0xfffe;
/// Neighbours are 15-bit numbers from 1 in Detour's tiles.
const MAX_POLYGONS: usize = 0x7ffe;
/// Corners at one place and within this many voxels in height are one.
const SAME_HEIGHT: u16 = 2;

/// A convex polygon: corner numbers and the polygon behind each edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Polygon {
    pub(super) corners: Vec<u16>,
    /// One an edge, [`NONE`] at walls.
    pub(super) neighbours: Vec<u16>,
    pub(super) region: u16,
}

/// Corners in voxels from the grid's lower corner, and polygons.
#[derive(Clone, Debug, Default)]
pub(super) struct PolygonMesh {
    pub(super) corners: Vec<[u16; 3]>,
    pub(super) polygons: Vec<Polygon>,
}

/// Builds polygons of at most `most` corners.
pub(super) fn build(contours: &[Contour], most: usize) -> Result<PolygonMesh, NavMeshError> {
    let mut mesh = PolygonMesh::default();
    let mut places: HashMap<(u16, u16), Vec<u16>> = HashMap::new();
    for contour in contours.iter().filter(|contour| contour.corners.len() >= 3) {
        let triangles = triangulate(&contour.corners);
        let mut numbers = Vec::with_capacity(contour.corners.len());
        for corner in &contour.corners {
            let corner = [corner.x as u16, corner.y as u16, corner.z as u16];
            numbers.push(number_of(&mut mesh.corners, &mut places, corner)?);
        }
        let pieces = triangles
            .into_iter()
            .map(|triangle| triangle.map(|index| numbers[index]).to_vec())
            .collect();
        let pieces = if most > 3 { merge(pieces, &mesh.corners, most) } else { pieces };
        for corners in pieces {
            let neighbours = vec![NONE; corners.len()];
            mesh.polygons.push(Polygon { corners, neighbours, region: contour.region });
        }
        if mesh.polygons.len() > MAX_POLYGONS {
            return Err(too_large("polygons", MAX_POLYGONS));
        }
    }
    find_neighbours(&mut mesh);
    Ok(mesh)
}

fn too_large(what: &str, most: usize) -> NavMeshError {
    NavMeshError::Build {
        reason: format!(
            "the navmesh has more than {most} {what}, which its file format cannot hold; raise the cell size, the edge error or the region minimum size, or split the scene"
        ),
    }
}

fn number_of(
    corners: &mut Vec<[u16; 3]>,
    places: &mut HashMap<(u16, u16), Vec<u16>>,
    corner: [u16; 3],
) -> Result<u16, NavMeshError> {
    let here = places.entry((corner[0], corner[2])).or_default();
    // The latest first, as Recast's lists run.
    let known = here
        .iter()
        .rev()
        .find(|&&number| corners[usize::from(number)][1].abs_diff(corner[1]) <= SAME_HEIGHT);
    if let Some(&number) = known {
        return Ok(number);
    }
    if corners.len() >= MAX_CORNERS {
        return Err(too_large("corners", MAX_CORNERS));
    }
    let number = corners.len() as u16;
    corners.push(corner);
    here.push(number);
    Ok(number)
}

/// The best partner of a polygon among those after it.
#[derive(Clone, Copy)]
struct Partner {
    other: usize,
    /// Squared length of the shared edge.
    length: i64,
    edge: usize,
    other_edge: usize,
}

/// Merges pairs that share the longest edge first, the earliest pair on ties, while the result is
/// convex and small enough. Each polygon remembers its best partner, so that a merge looks only at
/// pairs that it changed.
fn merge(mut pieces: Vec<Vec<u16>>, corners: &[[u16; 3]], most: usize) -> Vec<Vec<u16>> {
    let partner = |pieces: &[Vec<u16>], first: usize, other: usize| {
        shared_edge(&pieces[first], &pieces[other], corners, most)
            .map(|(length, edge, other_edge)| Partner { other, length, edge, other_edge })
    };
    let better = |best: Option<Partner>, new: Option<Partner>| match (best, new) {
        (Some(best), Some(new)) => {
            let wins = new.length > best.length || (new.length == best.length && new.other < best.other);
            Some(if wins { new } else { best })
        }
        (best, new) => best.or(new),
    };
    let best_of = |pieces: &[Vec<u16>], first: usize| {
        (first + 1..pieces.len()).fold(None, |best, other| better(best, partner(pieces, first, other)))
    };
    let mut best: Vec<Option<Partner>> =
        (0..pieces.len()).map(|first| best_of(&pieces, first)).collect();
    loop {
        let mut chosen: Option<(usize, Partner)> = None;
        for (first, partner) in best.iter().enumerate() {
            if let Some(partner) = partner
                && chosen.is_none_or(|(_, chosen)| partner.length > chosen.length)
            {
                chosen = Some((first, *partner));
            }
        }
        let Some((first, Partner { other, edge, other_edge, .. })) = chosen else { return pieces };
        pieces[first] = joined(&pieces[first], &pieces[other], edge, other_edge);
        pieces.swap_remove(other);
        best.truncate(pieces.len());
        let last = pieces.len();
        for index in 0..pieces.len() {
            let stale = best[index].is_some_and(|partner| [first, other, last].contains(&partner.other));
            if stale || index == first || index == other {
                best[index] = best_of(&pieces, index);
            } else {
                for changed in [first, other] {
                    if changed > index && changed < pieces.len() {
                        best[index] = better(best[index], partner(&pieces, index, changed));
                    }
                }
            }
        }
    }
}

/// Two polygons without their shared edge.
fn joined(a: &[u16], b: &[u16], a_edge: usize, b_edge: usize) -> Vec<u16> {
    let part = |from: &[u16], edge: usize| -> Vec<u16> {
        (0..from.len() - 1).map(|step| from[(edge + 1 + step) % from.len()]).collect()
    };
    let mut joined = part(a, a_edge);
    joined.extend(part(b, b_edge));
    joined
}

/// Squared length and places of the edge that two polygons share, if they can be merged.
fn shared_edge(a: &[u16], b: &[u16], corners: &[[u16; 3]], most: usize) -> Option<(i64, usize, usize)> {
    let (na, nb) = (a.len(), b.len());
    if na + nb - 2 > most {
        return None;
    }
    let mut found = None;
    for i in 0..na {
        let edge = (a[i].min(a[(i + 1) % na]), a[i].max(a[(i + 1) % na]));
        for j in 0..nb {
            if edge == (b[j].min(b[(j + 1) % nb]), b[j].max(b[(j + 1) % nb])) {
                found = Some((i, j));
                break;
            }
        }
    }
    let (i, j) = found?;
    let turns_left = |p: u16, q: u16, r: u16| {
        let [p, q, r] = [p, q, r].map(|number| {
            let corner = corners[usize::from(number)];
            (i64::from(corner[0]), i64::from(corner[2]))
        });
        (q.0 - p.0) * (r.1 - p.1) - (r.0 - p.0) * (q.1 - p.1) < 0
    };
    let convex = turns_left(a[(i + na - 1) % na], a[i], b[(j + 2) % nb])
        && turns_left(b[(j + nb - 1) % nb], b[j], a[(i + 2) % na]);
    let (p, q) = (corners[usize::from(a[i])], corners[usize::from(a[(i + 1) % na])]);
    let (dx, dz) = (i64::from(p[0]) - i64::from(q[0]), i64::from(p[2]) - i64::from(q[2]));
    let length = dx * dx + dz * dz;
    (convex && length > 0).then_some((length, i, j))
}

/// Pairs edges that run the opposite way between the same corners.
fn find_neighbours(mesh: &mut PolygonMesh) {
    // Edges that rise in corner number, by their lower corner; the latest first.
    let mut rising: Vec<Vec<(u16, usize, usize, bool)>> = vec![Vec::new(); mesh.corners.len()];
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        for (edge, (from, to)) in edges(&polygon.corners).enumerate() {
            if from < to {
                rising[usize::from(from)].push((to, index, edge, false));
            }
        }
    }
    let mut pairs = Vec::new();
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        for (edge, (from, to)) in edges(&polygon.corners).enumerate() {
            if from <= to {
                continue;
            }
            let free = rising[usize::from(to)]
                .iter_mut()
                .rev()
                .find(|(end, _, _, taken)| *end == from && !*taken);
            if let Some((_, other, other_edge, taken)) = free {
                // A polygon is no neighbour of itself; Recast then leaves the edge free.
                if *other != index {
                    *taken = true;
                    pairs.push((index, edge, *other, *other_edge));
                }
            }
        }
    }
    for (a, a_edge, b, b_edge) in pairs {
        mesh.polygons[a].neighbours[a_edge] = b as u16;
        mesh.polygons[b].neighbours[b_edge] = a as u16;
    }
}

fn edges(corners: &[u16]) -> impl Iterator<Item = (u16, u16)> + '_ {
    (0..corners.len()).map(|edge| (corners[edge], corners[(edge + 1) % corners.len()]))
}
