//! What the academy of a demo begins with: three lessons and one paper to hand on, in three languages, by the product's own calls. They
//! promise nothing: what stands in them is how the product works and what can go wrong.

use super::Caller;
use crate::foundation::{
    context::{Context, World},
    locale::Locale,
    paper::{self, Column, Head, Row},
};
use anyhow::Context as _;
use reqwest::{Method, header};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

struct Lesson {
    order: u8,
    /// By language: title and text.
    texts: [(Locale, &'static str, &'static str); 3],
}

const LESSONS: [Lesson; 3] = [
    Lesson {
        order: 1,
        texts: [
            (
                Locale::Pt,
                "Como funciona a arbitragem",
                include_str!("lessons/arbitrage.pt.txt"),
            ),
            (
                Locale::En,
                "How arbitrage works",
                include_str!("lessons/arbitrage.en.txt"),
            ),
            (
                Locale::Es,
                "Cómo funciona el arbitraje",
                include_str!("lessons/arbitrage.es.txt"),
            ),
        ],
    },
    Lesson {
        order: 2,
        texts: [
            (
                Locale::Pt,
                "Quais são os riscos",
                include_str!("lessons/risks.pt.txt"),
            ),
            (
                Locale::En,
                "What the risks are",
                include_str!("lessons/risks.en.txt"),
            ),
            (
                Locale::Es,
                "Cuáles son los riesgos",
                include_str!("lessons/risks.es.txt"),
            ),
        ],
    },
    Lesson {
        order: 3,
        texts: [
            (
                Locale::Pt,
                "Como ler o extrato",
                include_str!("lessons/statement.pt.txt"),
            ),
            (
                Locale::En,
                "How to read the statement",
                include_str!("lessons/statement.en.txt"),
            ),
            (
                Locale::Es,
                "Cómo leer el extracto",
                include_str!("lessons/statement.es.txt"),
            ),
        ],
    },
];

/// The paper to hand on: its title, what it is for, its two columns and their lines.
struct Paper {
    locale: Locale,
    title: &'static str,
    text: &'static str,
    columns: [&'static str; 2],
    lines: [[&'static str; 2]; 6],
}

const PAPERS: [Paper; 3] = [
    Paper {
        locale: Locale::Pt,
        title: "Antes de começar: seis perguntas",
        text: "Uma página para ler com calma antes de colocar dinheiro. Imprima, responda e guarde.",
        columns: ["Pergunta", "Por que importa"],
        lines: [
            [
                "Posso ficar sem este dinheiro?",
                "Resultados variam e podem ser negativos. Não use o que faz falta.",
            ],
            [
                "Sei por quanto tempo ele fica preso?",
                "Cada aporte tem um prazo antes de poder sair. Ele aparece na licença.",
            ],
            [
                "Sei o que pago de tarifas?",
                "Depósitos e saques têm tarifas, mostradas antes da confirmação.",
            ],
            [
                "Sei de que modo são os resultados?",
                "Simulado, papel ou real: o modo está em cada resultado.",
            ],
            [
                "Minha conta está protegida?",
                "Use senha própria, segundo fator e a lista de destinos.",
            ],
            [
                "Alguém me prometeu um ganho?",
                "Ninguém pode prometer. Fale com o suporte se isso aconteceu.",
            ],
        ],
    },
    Paper {
        locale: Locale::En,
        title: "Before you begin: six questions",
        text: "One page to read calmly before you put money in. Print it, answer it and keep it.",
        columns: ["Question", "Why it matters"],
        lines: [
            [
                "Can I do without this money?",
                "Results vary and can be negative. Do not use what you need.",
            ],
            [
                "Do I know how long it stays locked?",
                "Each top-up has a term before it can leave. The licence shows it.",
            ],
            [
                "Do I know what I pay in fees?",
                "Deposits and withdrawals have fees, shown before you confirm.",
            ],
            [
                "Do I know the mode of the results?",
                "Simulated, paper or real: the mode stands with each result.",
            ],
            [
                "Is my account protected?",
                "Use a password of its own, a second factor and the list of destinations.",
            ],
            [
                "Did anybody promise me a gain?",
                "Nobody can promise one. Tell support if it happened.",
            ],
        ],
    },
    Paper {
        locale: Locale::Es,
        title: "Antes de empezar: seis preguntas",
        text: "Una página para leer con calma antes de poner dinero. Imprímala, respóndala y guárdela.",
        columns: ["Pregunta", "Por qué importa"],
        lines: [
            [
                "¿Puedo prescindir de este dinero?",
                "Los resultados varían y pueden ser negativos. No use lo que necesita.",
            ],
            [
                "¿Sé cuánto tiempo queda bloqueado?",
                "Cada aporte tiene un plazo antes de poder salir. La licencia lo muestra.",
            ],
            [
                "¿Sé qué tarifas pago?",
                "Depósitos y retiros tienen tarifas, mostradas antes de confirmar.",
            ],
            [
                "¿Sé de qué modo son los resultados?",
                "Simulado, papel o real: el modo está en cada resultado.",
            ],
            [
                "¿Mi cuenta está protegida?",
                "Use una contraseña propia, segundo factor y la lista de destinos.",
            ],
            [
                "¿Alguien me prometió una ganancia?",
                "Nadie puede prometerla. Avise al soporte si ocurrió.",
            ],
        ],
    },
];

/// The ids of a demo's items are known, so that a start after a kill makes none twice.
fn id(nth: u8) -> Uuid {
    Uuid::from_u128(0x0190_d000_0000_7000_8000_0000_0000_0000 | u128::from(nth))
}

/// The paper's bytes: the same at each start.
fn document(paper: &Paper) -> Result<Vec<u8>, crate::error::Error> {
    let head = Head {
        world: World::Demo,
        locale: paper.locale,
        brand: "Arbora".to_owned(),
        kind: paper.title,
        facts: Vec::new(),
        running: String::new(),
        made_at: OffsetDateTime::UNIX_EPOCH,
    };
    let [question, reason] = paper.columns;
    let rows: Vec<Row> = paper
        .lines
        .iter()
        .map(|line| Row {
            cells: line.iter().map(|&text| text.to_owned()).collect(),
            sum: false,
        })
        .collect();
    paper::write(&head, &[Column::Text(question), Column::Text(reason)], &rows)
}

/// A form with one file, as a browser writes it.
fn form(boundary: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"arbora.pdf\"\r\nContent-Type: application/pdf\r\n\r\n"
    );
    [
        head.as_bytes(),
        bytes,
        format!("\r\n--{boundary}--\r\n").as_bytes(),
    ]
    .concat()
}

async fn publish(by: &Caller, id: Uuid) -> anyhow::Result<()> {
    let path = format!("/admin/content/{id}");
    let item = by.get(&path).await?;
    if item["status"] == "draft" {
        let change = json!({ "version": item["version"], "status": "published" });
        by.call(by.request(Method::PATCH, &path).json(&change)).await?;
    }
    Ok(())
}

/// Makes what is missing until the last of it is there. From then on it stays as staff leave it, as it does where somebody else writes; a demo whose
/// last paper they delete begins anew.
pub(super) async fn begin(context: &Context, by: &Caller) -> anyhow::Result<()> {
    let there = by.get("/admin/content?limit=100").await?;
    let there = there["data"].as_array().context("a list without rows")?;
    let last = id(u8::try_from(LESSONS.len() * 3 + PAPERS.len())?);
    let ours = |row: &Value| row["author"] == "admin1";
    if context.world != World::Demo
        || there
            .iter()
            .any(|row| !ours(row) || row["_id"] == last.to_string())
    {
        return Ok(());
    }
    let mut nth = 0;
    for lesson in &LESSONS {
        for (locale, title, text) in lesson.texts {
            nth += 1;
            let new = json!({ "id": id(nth), "kind": "lesson", "language": locale, "title": title, "text": text,
                "order": lesson.order });
            by.post("/admin/content", &new).await?;
            publish(by, id(nth)).await?;
        }
    }
    for paper in &PAPERS {
        nth += 1;
        let new = json!({ "id": id(nth), "kind": "material", "language": paper.locale, "title": paper.title,
            "text": paper.text, "order": 1 });
        let made = by.post("/admin/content", &new).await?;
        if made["file"].is_null() {
            let bytes = document(paper).map_err(|error| anyhow::anyhow!("{error:?}"))?;
            let boundary = id(nth).simple().to_string();
            let upload = by
                .request(Method::POST, &format!("/admin/content/{}/file", id(nth)))
                .header(
                    header::CONTENT_TYPE,
                    format!("multipart/form-data; boundary={boundary}"),
                )
                .body(form(&boundary, &bytes));
            by.call(upload).await?;
        }
        publish(by, id(nth)).await?;
    }
    Ok(())
}
