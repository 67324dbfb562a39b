use super::{LanguageModel, Question};
use crate::relevance::normalised;
use crate::{Knowledge, ModelError, Region, Relevance};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const SYSTEM: &str = "You know how people furnish and use their homes. You answer with one JSON object \
                      and nothing else.";

/// Relevance as a language model judges it: scores from 0 to 10, divided by their sum. Where the model
/// never gives an answer that fits, the table's is taken, and counted.
pub struct LanguageRelevance {
    model: Arc<dyn LanguageModel>,
    table: Arc<Knowledge>,
    /// Answers of this process, so that nothing is asked twice.
    known: Mutex<BTreeMap<String, Option<Value>>>,
    fallbacks: AtomicUsize,
}

impl LanguageRelevance {
    /// Asks `model`; `table` names the vocabulary and stands in.
    pub fn new(model: Arc<dyn LanguageModel>, table: Arc<Knowledge>) -> Self {
        Self { model, table, known: Mutex::default(), fallbacks: AtomicUsize::new(0) }
    }

    /// Questions for which the table stood in.
    pub fn fallbacks(&self) -> usize {
        self.fallbacks.load(Ordering::Relaxed)
    }

    fn ask(&self, question: &Question) -> Result<Option<Value>, ModelError> {
        let key = format!("{}\n{}", question.name, question.prompt);
        // Held while the model is asked: other workers wait for the same answer.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.model.ask(question)?;
        if answer.is_none() {
            self.fallbacks.fetch_add(1, Ordering::Relaxed);
        }
        known.insert(key, answer.clone());
        Ok(answer)
    }

    /// Scores of objects at a place, normalised; `None` where the model has no answer.
    fn scores(&self, objects: &[&str], name: &str, place: &str) -> Result<Option<Vec<f64>>, ModelError> {
        let mut names: Vec<&str> = objects.to_vec();
        names.sort_unstable();
        names.dedup();
        let each = json!({ "type": "number", "minimum": 0, "maximum": 10 });
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), each.clone())).collect();
        let question = Question {
            name: name.to_owned(),
            system: SYSTEM.to_owned(),
            prompt: format!(
                "How usual is it to find each of these objects {place}? Give every object a number from \
                 0 (never) to 10 (nearly always), as {{\"scores\": {{\"<object>\": <number>}}}}, and \
                 keep the names as they are written.\nObjects: {}",
                names.join(", ")
            ),
            schema: json!({
                "type": "object",
                "required": ["scores"],
                "additionalProperties": false,
                "properties": { "scores": {
                    "type": "object",
                    "required": names,
                    "additionalProperties": false,
                    "properties": properties,
                }},
            }),
        };
        let Some(answer) = self.ask(&question)? else { return Ok(None) };
        let score = |object: &&str| answer["scores"][*object].as_f64().unwrap_or(0.0);
        Ok(Some(normalised(objects.iter().map(score).collect())))
    }
}

impl Relevance for LanguageRelevance {
    fn identity(&self) -> String {
        format!("{}, else table {}", self.model.identity(), self.table.identity())
    }

    fn vocabulary(&self) -> Vec<&str> {
        self.table.vocabulary()
    }

    fn objects_given_region(&self, objects: &[&str], region: Region) -> Result<Vec<f64>, ModelError> {
        let place = match region {
            Region::Other => "in a family room or playroom".to_owned(),
            region => format!("in a home's {}", region.name().replace('_', " ")),
        };
        match self.scores(objects, "objects_in_region", &place)? {
            Some(chances) => Ok(chances),
            None => self.table.objects_given_region(objects, region),
        }
    }

    fn objects_given_receptacle(
        &self,
        objects: &[&str],
        receptacle: &str,
    ) -> Result<Vec<f64>, ModelError> {
        let place = format!("on a {} in a home", receptacle.replace('_', " "));
        match self.scores(objects, "objects_on_receptacle", &place)? {
            Some(chances) => Ok(chances),
            None => self.table.objects_given_receptacle(objects, receptacle),
        }
    }

    fn region_given_labels(&self, labels: &[&str]) -> Result<[f64; 14], ModelError> {
        let labels = sorted(labels);
        if labels.is_empty() {
            return Ok([1.0 / 14.0; 14]);
        }
        let names = Region::ALL.map(Region::name);
        let question = Question {
            name: "region_of_labels".to_owned(),
            system: SYSTEM.to_owned(),
            prompt: format!(
                "These things stand close together in a home. Which kinds of room may this be? Name the \
                 likely ones of {} with your confidence from 0 to 1, as {{\"regions\": [{{\"name\": \
                 \"<kind>\", \"confidence\": <number>}}]}}.\nThings: {}",
                names.join(", "),
                labels.join(", ")
            ),
            schema: json!({
                "type": "object",
                "required": ["regions"],
                "additionalProperties": false,
                "properties": { "regions": { "type": "array", "minItems": 1, "maxItems": 14, "items": {
                    "type": "object",
                    "required": ["name", "confidence"],
                    "additionalProperties": false,
                    "properties": {
                        "name": { "type": "string", "enum": names },
                        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
                    },
                }}},
            }),
        };
        let Some(answer) = self.ask(&question)? else { return self.table.region_given_labels(&labels) };
        let mut scores = [0.0; 14];
        for item in answer["regions"].as_array().into_iter().flatten() {
            if let Some(region) = item["name"].as_str().and_then(Region::from_name) {
                scores[region.index()] += item["confidence"].as_f64().unwrap_or(0.0);
            }
        }
        let mut chances = [0.0; 14];
        for (to, chance) in chances.iter_mut().zip(normalised(scores.to_vec())) {
            *to = chance;
        }
        Ok(chances)
    }

    fn receptacles(&self, labels: &[&str]) -> Result<Vec<String>, ModelError> {
        let labels = sorted(labels);
        if labels.is_empty() {
            return Ok(Vec::new());
        }
        let question = Question {
            name: "receptacles".to_owned(),
            system: SYSTEM.to_owned(),
            prompt: format!(
                "On which of these things do people put small objects, so that one would look for a lost \
                 object there? Answer as {{\"receptacles\": [\"<thing>\"]}} with names from the list, as \
                 they are written.\nThings: {}",
                labels.join(", ")
            ),
            schema: json!({
                "type": "object",
                "required": ["receptacles"],
                "additionalProperties": false,
                "properties": { "receptacles": {
                    "type": "array",
                    "maxItems": labels.len(),
                    "items": { "type": "string", "enum": labels },
                }},
            }),
        };
        let Some(answer) = self.ask(&question)? else { return self.table.receptacles(&labels) };
        let named = answer["receptacles"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(sorted(&named.collect::<Vec<_>>()).into_iter().map(str::to_owned).collect())
    }
}

/// In order and each once, so that the same set makes the same question.
fn sorted<'a>(labels: &[&'a str]) -> Vec<&'a str> {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels.dedup();
    labels
}
