//! What the robot's cameras see, with legends.

use crate::Pictures;
use ambler_sensor::{depth_color, id_color};
use ambler_session::{Desk, FAR_M, Snapshot};
use bevy_egui::egui::{Color32, Image, Rect, RichText, Sense, Ui, Vec2, load::SizedTexture, pos2};
use std::collections::BTreeMap;

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, pictures: &Pictures) {
    if pictures.cameras.is_empty() {
        ui.label(RichText::new("No picture has been drawn yet.").weak());
    }
    for camera in &pictures.cameras {
        let spec = &camera.painting.eye.spec;
        ui.horizontal(|ui| {
            ui.label(RichText::new(&camera.camera).strong());
            ui.label(RichText::new(format!("{}×{}", spec.width, spec.height)).weak());
            if camera.painting.step != desk.shown {
                ui.label(
                    RichText::new(format!("of step {}", camera.painting.step))
                        .color(Color32::from_rgb(230, 159, 0)),
                );
            }
        });
        let width = (ui.available_width() - 6.0) / 2.0;
        for pair in camera.pictures.chunks(2) {
            ui.horizontal(|ui| {
                for &(name, texture, size) in pair {
                    ui.vertical(|ui| {
                        let height = width * size[1] as f32 / size[0].max(1) as f32;
                        let source = SizedTexture::new(texture, [width, height]);
                        let response = ui.add(Image::from_texture(source).sense(Sense::hover()));
                        if let Some(at) = response.hover_pos() {
                            let text = under(camera, snapshot, response.rect, at);
                            response.on_hover_text_at_pointer(text);
                        }
                        ui.label(RichText::new(name).small().weak());
                    });
                }
            });
        }
        depth_legend(ui);
        id_legend(ui, camera, snapshot);
        ui.separator();
    }
}

/// What is at a place of a picture.
fn under(
    camera: &crate::CameraPictures,
    snapshot: &Snapshot,
    rect: Rect,
    at: bevy_egui::egui::Pos2,
) -> String {
    let frame = &camera.painting.frame;
    let share = (at - rect.min) / rect.size();
    let column = ((share.x * frame.width as f32) as usize).min(frame.width.saturating_sub(1) as usize);
    let row = ((share.y * frame.height as f32) as usize).min(frame.height.saturating_sub(1) as usize);
    let pixel = row * frame.width as usize + column;
    let depth = frame.depth.get(pixel).copied().unwrap_or(0.0);
    let id = frame.instance.get(pixel).copied().unwrap_or(0);
    let scene = snapshot.stage.as_ref().map(|stage| &stage.scene);
    let name = scene.and_then(|scene| {
        let instance = scene.instance(id)?;
        Some(format!("{} ({})", instance.name, scene.category_name(instance.category)))
    });
    let far = if depth > 0.0 { format!("{depth:.3} m") } else { "nothing seen".to_owned() };
    format!("{}\nid {id}, {far}\npixel {column}, {row}", name.unwrap_or_else(|| "unnamed".to_owned()))
}

fn depth_legend(ui: &mut Ui) {
    let (response, painter) = ui.allocate_painter(Vec2::new(ui.available_width(), 14.0), Sense::hover());
    let rect = response.rect;
    let steps = 64;
    for index in 0..steps {
        let share = index as f32 / steps as f32;
        let [r, g, b] = depth_color(f64::from(share));
        let left = rect.left() + rect.width() * share;
        let bar = Rect::from_min_max(
            pos2(left, rect.top()),
            pos2(left + rect.width() / steps as f32 + 1.0, rect.bottom()),
        );
        painter.rect_filled(bar, 0.0, Color32::from_rgb(r, g, b));
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new("0.3 m").small().weak());
        ui.with_layout(bevy_egui::egui::Layout::right_to_left(bevy_egui::egui::Align::Center), |ui| {
            ui.label(
                RichText::new(format!("{FAR_M:.0} m, logarithmic; black: nothing seen")).small().weak(),
            );
        });
    });
}

/// The instances in the picture by their share of it.
fn id_legend(ui: &mut Ui, camera: &crate::CameraPictures, snapshot: &Snapshot) {
    let frame = &camera.painting.frame;
    let Some(stage) = &snapshot.stage else { return };
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for &id in frame.instance.iter().filter(|&&id| id != 0) {
        *counts.entry(id).or_default() += 1;
    }
    let mut counts: Vec<(u32, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
    if counts.is_empty() {
        ui.label(RichText::new("No named thing is in the picture.").weak().small());
    }
    let most = 14;
    ui.horizontal_wrapped(|ui| {
        for &(id, count) in counts.iter().take(most) {
            let [r, g, b] = id_color(id);
            let name = stage.scene.instance(id).map_or("?", |instance| instance.name.as_str());
            let share = count as f64 / frame.pixel_count().max(1) as f64 * 100.0;
            ui.label(RichText::new("■").color(Color32::from_rgb(r, g, b)));
            ui.label(RichText::new(format!("{name} {share:.0}%")).small());
        }
        if counts.len() > most {
            ui.label(RichText::new(format!("and {} more", counts.len() - most)).small().weak());
        }
    });
}
