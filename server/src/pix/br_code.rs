//! The static BR Code: EMV merchant-presented code under the arrangement `br.gov.bcb.pix` (Banco Central, Manual do BR Code).

use crc::{CRC_16_IBM_3740, Crc};
use protocol::money::Brl;

/// CRC-16, polynomial 0x1021, initial 0xFFFF ("CCITT-FALSE").
const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);

/// Who is paid, what and by which mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrCode<'a> {
    /// At most 77 characters.
    pub key: &'a str,
    /// Shortened to 25 characters of ASCII.
    pub name: &'a str,
    /// Shortened to 15 characters of ASCII.
    pub city: &'a str,
    /// At most 25 letters and digits, or `***` for none.
    pub txid: &'a str,
    pub amount: Option<Brl>,
    pub description: Option<&'a str>,
}

/// What cannot stand in a BR Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrCodeError {
    #[error("a PIX key has 1 to 77 characters")]
    Key,
    #[error("a txid has 1 to 25 letters and digits")]
    Txid,
    #[error("an amount has 1 to 10 digits before the point and is positive")]
    Amount,
    #[error("name and city are needed")]
    Holder,
}

fn field(id: u8, value: &str, out: &mut String) {
    use std::fmt::Write;
    // Lengths are bounded by the checks below: two digits always do.
    let _ = write!(out, "{id:02}{:02}{value}", value.len());
}

/// Letters lose their accents: readers of many banks take ASCII only.
fn ascii(text: &str, at_most: usize) -> String {
    let plain: String = deunicode::deunicode(text)
        .chars()
        .filter(|c| c.is_ascii() && !c.is_ascii_control())
        .take(at_most)
        .collect();
    plain.trim_end().to_owned()
}

impl BrCode<'_> {
    /// The copy-and-paste text, which the QR shows as well.
    ///
    /// # Errors
    /// See [`BrCodeError`].
    pub fn text(&self) -> Result<String, BrCodeError> {
        if self.key.is_empty() || self.key.len() > 77 || !self.key.is_ascii() {
            return Err(BrCodeError::Key);
        }
        let plain = !self.txid.is_empty()
            && self.txid.len() <= 25
            && self.txid.bytes().all(|b| b.is_ascii_alphanumeric());
        if !plain && self.txid != "***" {
            return Err(BrCodeError::Txid);
        }
        let (name, city) = (ascii(self.name, 25), ascii(self.city, 15));
        if name.is_empty() || city.is_empty() {
            return Err(BrCodeError::Holder);
        }
        let mut account = String::new();
        field(0, "br.gov.bcb.pix", &mut account);
        field(1, self.key, &mut account);
        if let Some(description) = self.description {
            let room = 99usize.saturating_sub(account.len() + 4);
            let description = ascii(description, room);
            if !description.is_empty() {
                field(2, &description, &mut account);
            }
        }
        let mut code = String::new();
        field(0, "01", &mut code);
        field(26, &account, &mut code);
        field(52, "0000", &mut code);
        field(53, "986", &mut code);
        if let Some(amount) = self.amount {
            let written = amount.to_string();
            if !amount.is_positive() || written.len() > 13 {
                return Err(BrCodeError::Amount);
            }
            field(54, &written, &mut code);
        }
        field(58, "BR", &mut code);
        field(59, &name, &mut code);
        field(60, &city, &mut code);
        let mut additional = String::new();
        field(5, self.txid, &mut additional);
        field(62, &additional, &mut code);
        code.push_str("6304");
        let crc = CRC.checksum(code.as_bytes());
        Ok(format!("{code}{crc:04X}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The published examples (Manual do BR Code).
    #[test]
    fn the_published_codes_come_out() {
        assert_eq!(CRC.checksum(b"123456789"), 0x29B1);
        let one = BrCode {
            key: "123e4567-e12b-12d1-a456-426655440000",
            name: "Fulano de Tal",
            city: "BRASILIA",
            txid: "***",
            amount: None,
            description: None,
        };
        assert_eq!(
            one.text().unwrap(),
            "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
        );
        let two = BrCode {
            key: "thalesog@me.com",
            name: "THALES OGLIARI",
            city: "SAO MIGUEL DO OESTE",
            txid: "***",
            amount: Some(Brl(1_000)),
            description: Some("Pedido 123"),
        };
        assert_eq!(
            two.text().unwrap(),
            "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6"
        );
    }

    #[test]
    fn bounds_hold() {
        let good = BrCode {
            key: "k@x.br",
            name: "Árvore Ação",
            city: "São Paulo",
            txid: "A1",
            amount: Some(Brl(1)),
            description: None,
        };
        let text = good.text().unwrap();
        assert!(text.contains("5911Arvore Acao6009Sao Paulo"), "{text}");
        assert!(text.contains("54040.01"), "{text}");
        let long = "k".repeat(78);
        for (bad, error) in [
            (
                BrCode {
                    key: "",
                    ..good.clone()
                },
                BrCodeError::Key,
            ),
            (
                BrCode {
                    key: &long,
                    ..good.clone()
                },
                BrCodeError::Key,
            ),
            (
                BrCode {
                    txid: "A-1",
                    ..good.clone()
                },
                BrCodeError::Txid,
            ),
            (
                BrCode {
                    txid: "",
                    ..good.clone()
                },
                BrCodeError::Txid,
            ),
            (
                BrCode {
                    txid: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    ..good.clone()
                },
                BrCodeError::Txid,
            ),
            (
                BrCode {
                    amount: Some(Brl(0)),
                    ..good.clone()
                },
                BrCodeError::Amount,
            ),
            (
                BrCode {
                    amount: Some(Brl(-5)),
                    ..good.clone()
                },
                BrCodeError::Amount,
            ),
            (
                BrCode {
                    amount: Some(Brl(i64::MAX)),
                    ..good.clone()
                },
                BrCodeError::Amount,
            ),
            (
                BrCode {
                    name: "\u{7}",
                    ..good.clone()
                },
                BrCodeError::Holder,
            ),
        ] {
            assert_eq!(bad.text(), Err(error));
        }
    }
}
