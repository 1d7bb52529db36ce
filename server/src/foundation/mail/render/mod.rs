//! From a typed mail to subject, text and HTML in the recipient's language.

use super::{Mail, Recipient};
use crate::{
    error::Error,
    foundation::{locale::filled, text},
};
use askama::Template;

pub struct Letter<'a> {
    pub brand: &'a str,
    pub public_url: &'a str,
    pub demo: bool,
    pub to: &'a Recipient,
    pub mail: &'a Mail,
}

pub struct Rendered {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Where people choose what they are mailed about.
const WISHES: &str = "/account-setting?tab=notifications";

struct Button {
    label: String,
    url: String,
}

macro_rules! layout {
    ($name:ident, $path:literal) => {
        #[derive(Template)]
        #[template(path = $path)]
        #[allow(dead_code)] // each face of a mail shows what it needs
        struct $name<'a> {
            lang: &'a str,
            brand: &'a str,
            subject: &'a str,
            demo: Option<&'a str>,
            greeting: &'a str,
            paragraphs: &'a [String],
            code: Option<&'a str>,
            button: Option<&'a Button>,
            freeze: Option<&'a Button>,
            freeze_text: &'a str,
            /// Where its reader says that they want no more of such mails.
            choose: Option<&'a Button>,
            anti_phishing: Option<&'a str>,
            footer: &'a str,
        }
    };
}
layout!(Html, "mail.html");
layout!(Text, "mail.txt");

impl Letter<'_> {
    pub fn render(&self) -> Result<Rendered, Error> {
        let (locale, template) = (self.to.locale, self.mail.template());
        let content = self.mail.content(locale, self.to.time_zone.as_deref());
        let fill = |key: &str| {
            filled(locale.text("mail", key), |name| {
                let given = content.params.iter().find(|(given, _)| *given == name);
                match (given, name) {
                    (Some((_, value)), _) => Some(value.as_str()),
                    (None, "brand") => Some(self.brand),
                    (None, "name") => Some(&self.to.name),
                    _ => None,
                }
            })
        };
        let button = |key: &str, path: &Option<String>| {
            path.as_ref().map(|path| Button {
                label: fill(key),
                url: format!("{}{path}", self.public_url),
            })
        };
        // A subject is one line, whatever a ticket's writer put into it.
        let subject = fill(&format!("{template}.subject"));
        let subject =
            text::line(&subject).unwrap_or_else(|| subject.chars().filter(|c| !c.is_control()).collect());
        let subject = if self.demo {
            format!("[DEMO] {subject}")
        } else {
            subject
        };
        let mut paragraphs = vec![fill(&format!("{template}.body"))];
        paragraphs.extend(content.lines.iter().cloned());
        let main = button(&format!("{template}.button"), &content.button);
        let freeze = button("freeze.button", &content.freeze);
        let wishes = self.mail.can_wait().then(|| WISHES.to_owned());
        let choose = button("choose.button", &wishes);
        let (demo, greeting, freeze_text, footer) = (
            fill("demo"),
            fill("greeting"),
            fill("freeze.text"),
            fill("footer"),
        );
        let anti_phishing = self
            .to
            .anti_phishing
            .as_ref()
            .map(|code| format!("{} {code}", fill("anti_phishing")));
        macro_rules! page {
            ($name:ident) => {
                $name {
                    lang: locale.as_str(),
                    brand: self.brand,
                    subject: &subject,
                    demo: self.demo.then_some(demo.as_str()),
                    greeting: &greeting,
                    paragraphs: &paragraphs,
                    code: content.code.as_deref(),
                    button: main.as_ref(),
                    freeze: freeze.as_ref(),
                    freeze_text: &freeze_text,
                    choose: choose.as_ref(),
                    anti_phishing: anti_phishing.as_deref(),
                    footer: &footer,
                }
                .render()
                .map_err(|e| Error::internal(format!("a mail cannot be written: {e}")))?
            };
        }
        Ok(Rendered {
            text: page!(Text),
            html: page!(Html),
            subject,
        })
    }
}

#[cfg(test)]
mod tests;
