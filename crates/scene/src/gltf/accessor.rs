use crate::SceneError;
use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Accessor, Index, Root};
use ambler_geometry::Place;
use std::path::Path;

/// An accessor without a buffer view is all zeros and costs a file nothing; this bounds it.
const MAX_ZEROS: u64 = 1 << 20;

/// Reads accessors; every index, offset and count is checked against the bytes that are there.
pub(super) struct Accessors<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: &'a [Vec<u8>],
    pub(super) path: &'a Path,
}

/// Numbers of an accessor, `width` to an element.
pub(super) struct Numbers {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

fn pointer(place: &str) -> Place {
    Place::Pointer(place.to_owned())
}

fn component_size(component: ComponentType) -> usize {
    component.size()
}

fn width(kind: Type) -> Option<usize> {
    // Matrices have padded columns and are used for nothing that is read here.
    match kind {
        Type::Scalar => Some(1),
        Type::Vec2 => Some(2),
        Type::Vec3 => Some(3),
        Type::Vec4 => Some(4),
        _ => None,
    }
}

impl<'a> Accessors<'a> {
    pub(super) fn fault(&self, place: &str, what: impl Into<String>) -> SceneError {
        SceneError::malformed(self.path, pointer(place), what, "export the file again")
    }

    pub(super) fn accessor(
        &self,
        index: Index<Accessor>,
        place: &str,
    ) -> Result<&'a Accessor, SceneError> {
        self.root.get(index).ok_or_else(|| {
            self.fault(place, format!("refers to accessor {}, which does not exist", index.value()))
        })
    }

    pub(super) fn count(&self, index: Index<Accessor>, place: &str) -> Result<u64, SceneError> {
        Ok(self.accessor(index, place)?.count.0)
    }

    /// Bytes of a buffer view and its stride.
    pub(super) fn view(
        &self,
        index: Index<::gltf::json::buffer::View>,
        place: &str,
    ) -> Result<(&'a [u8], Option<usize>), SceneError> {
        let missing = || {
            self.fault(place, format!("refers to buffer view {}, which does not exist", index.value()))
        };
        let view = self.root.get(index).ok_or_else(missing)?;
        let buffer = self.buffers.get(view.buffer.value()).ok_or_else(|| {
            self.fault(place, format!("refers to buffer {}, which does not exist", view.buffer.value()))
        })?;
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let range = start
            .checked_add(view.byte_length.0)
            .and_then(|end| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
        let bytes = range.and_then(|range| buffer.get(range)).ok_or_else(|| {
            self.fault(
                place,
                format!(
                    "buffer view {} lies outside its buffer of {} bytes",
                    index.value(),
                    buffer.len()
                ),
            )
        })?;
        Ok((bytes, view.byte_stride.map(|stride| stride.0)))
    }

    /// `count` elements of `size` bytes from a view: their bytes and their stride.
    fn elements(
        &self,
        view: Index<::gltf::json::buffer::View>,
        offset: u64,
        count: u64,
        size: usize,
        place: &str,
    ) -> Result<(&'a [u8], usize), SceneError> {
        let (bytes, stride) = self.view(view, place)?;
        let stride = stride.filter(|&stride| stride != 0).unwrap_or(size);
        if stride < size {
            return Err(self.fault(place, format!("a stride of {stride} bytes for elements of {size}")));
        }
        let needed =
            count.saturating_sub(1).checked_mul(stride as u64).and_then(|n| n.checked_add(size as u64));
        let needed = if count == 0 { Some(0) } else { needed };
        let end = needed.and_then(|needed| needed.checked_add(offset));
        if end.is_none_or(|end| end > bytes.len() as u64) {
            return Err(self.fault(
                place,
                format!(
                    "{count} elements of {size} bytes do not fit into a buffer view of {} bytes",
                    bytes.len()
                ),
            ));
        }
        Ok((bytes.get(offset as usize..).unwrap_or(&[]), stride))
    }

    fn layout(&self, accessor: &Accessor, place: &str) -> Result<(ComponentType, usize), SceneError> {
        let Checked::Valid(component) = accessor.component_type else {
            return Err(self.fault(place, "the accessor's component type is unknown"));
        };
        let Checked::Valid(kind) = accessor.type_ else {
            return Err(self.fault(place, "the accessor's type is unknown"));
        };
        let width = width(kind).ok_or_else(|| self.fault(place, "the accessor holds matrices"))?;
        Ok((component.0, width))
    }

    /// All numbers as f32. Integers are divided by their largest value where the accessor says
    /// `normalized`, or always with `force_normalized` (colours).
    pub(super) fn floats(
        &self,
        index: Index<Accessor>,
        force_normalized: bool,
        place: &str,
    ) -> Result<Numbers, SceneError> {
        let accessor = self.accessor(index, place)?;
        let (component, width) = self.layout(accessor, place)?;
        let normalized = accessor.normalized || force_normalized;
        let size = component_size(component) * width;
        let count = accessor.count.0;
        let read = |bytes: &[u8], stride: usize, count: usize, out: &mut Vec<f32>| {
            for element in 0..count {
                let element = bytes.get(element * stride..).unwrap_or(&[]);
                for number in element.chunks(component_size(component)).take(width) {
                    out.push(decode(component, number, normalized));
                }
            }
        };
        let mut values;
        if let Some(view) = accessor.buffer_view {
            let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
            let (bytes, stride) = self.elements(view, offset, count, size, place)?;
            values = Vec::with_capacity(count as usize * width);
            read(bytes, stride, count as usize, &mut values);
        } else {
            values = vec![0.0; self.zeros(count, place)? * width];
        }
        if let Some(sparse) = &accessor.sparse {
            let at = self.sparse_indices(sparse, count, place)?;
            let offset = sparse.values.byte_offset.0;
            let (bytes, stride) =
                self.elements(sparse.values.buffer_view, offset, sparse.count.0, size, place)?;
            let mut replaced = Vec::with_capacity(at.len() * width);
            read(bytes, stride, at.len(), &mut replaced);
            for (element, numbers) in at.iter().zip(replaced.chunks_exact(width)) {
                if let Some(target) = values.get_mut(element * width..(element + 1) * width) {
                    target.copy_from_slice(numbers);
                }
            }
        }
        Ok(Numbers { width, values })
    }

    /// Vertex indices.
    pub(super) fn indices(&self, index: Index<Accessor>, place: &str) -> Result<Vec<u32>, SceneError> {
        let accessor = self.accessor(index, place)?;
        let (component, width) = self.layout(accessor, place)?;
        if width != 1
            || !matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32)
        {
            return Err(self.fault(place, "indices must be unsigned scalars"));
        }
        let size = component_size(component);
        let count = accessor.count.0;
        let mut values;
        if let Some(view) = accessor.buffer_view {
            let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
            let (bytes, stride) = self.elements(view, offset, count, size, place)?;
            values = Vec::with_capacity(count as usize);
            values.extend(
                (0..count as usize)
                    .map(|i| decode_index(component, bytes.get(i * stride..).unwrap_or(&[]))),
            );
        } else {
            values = vec![0; self.zeros(count, place)?];
        }
        if let Some(sparse) = &accessor.sparse {
            let at = self.sparse_indices(sparse, count, place)?;
            let offset = sparse.values.byte_offset.0;
            let (bytes, stride) =
                self.elements(sparse.values.buffer_view, offset, sparse.count.0, size, place)?;
            for (i, &element) in at.iter().enumerate() {
                if let Some(target) = values.get_mut(element) {
                    *target = decode_index(component, bytes.get(i * stride..).unwrap_or(&[]));
                }
            }
        }
        Ok(values)
    }

    fn zeros(&self, count: u64, place: &str) -> Result<usize, SceneError> {
        if count > MAX_ZEROS {
            return Err(SceneError::too_large(
                self.path,
                pointer(place),
                format!("an accessor without a buffer view has {count} elements, more than {MAX_ZEROS}"),
                "store the elements",
            ));
        }
        Ok(count as usize)
    }

    fn sparse_indices(
        &self,
        sparse: &::gltf::json::accessor::sparse::Sparse,
        count: u64,
        place: &str,
    ) -> Result<Vec<usize>, SceneError> {
        let Checked::Valid(component) = sparse.indices.component_type else {
            return Err(self.fault(place, "the type of sparse indices is unknown"));
        };
        let offset = sparse.indices.byte_offset.0;
        let size = component_size(component.0);
        let (bytes, stride) =
            self.elements(sparse.indices.buffer_view, offset, sparse.count.0, size, place)?;
        (0..sparse.count.0 as usize)
            .map(|i| {
                let index = decode_index(component.0, bytes.get(i * stride..).unwrap_or(&[]));
                if u64::from(index) < count {
                    Ok(index as usize)
                } else {
                    Err(self.fault(
                        place,
                        format!("sparse index {index} of an accessor of {count} elements"),
                    ))
                }
            })
            .collect()
    }
}

fn decode(component: ComponentType, bytes: &[u8], normalized: bool) -> f32 {
    let scaled = |value: f32, largest: f32| if normalized { (value / largest).max(-1.0) } else { value };
    match (component, bytes) {
        (ComponentType::I8, &[a, ..]) => scaled(f32::from(a as i8), 127.0),
        (ComponentType::U8, &[a, ..]) => scaled(f32::from(a), 255.0),
        (ComponentType::I16, &[a, b, ..]) => scaled(f32::from(i16::from_le_bytes([a, b])), 32_767.0),
        (ComponentType::U16, &[a, b, ..]) => scaled(f32::from(u16::from_le_bytes([a, b])), 65_535.0),
        (ComponentType::U32, &[a, b, c, d, ..]) => {
            let value = u32::from_le_bytes([a, b, c, d]);
            if normalized { (f64::from(value) / f64::from(u32::MAX)) as f32 } else { value as f32 }
        }
        (ComponentType::F32, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]),
        _ => 0.0,
    }
}

fn decode_index(component: ComponentType, bytes: &[u8]) -> u32 {
    match (component, bytes) {
        (ComponentType::U8, &[a, ..]) => u32::from(a),
        (ComponentType::U16, &[a, b, ..]) => u32::from(u16::from_le_bytes([a, b])),
        (ComponentType::U32, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
        _ => u32::MAX,
    }
}
