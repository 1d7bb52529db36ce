//! What the sentence of a line is filled in with: pure.

use protocol::money::Usdt;
use serde_json::{Value, json};

/// A line's own values, and its amount as `usdt` where they do not say that themselves. Whoever shows or tells a line takes them from here, so that
/// inbox, screens and devices say the same of it, also of lines that were written without it.
#[must_use]
pub fn values(mut params: Value, amount: Option<Usdt>) -> Value {
    if let (Some(own), Some(amount)) = (params.as_object_mut(), amount) {
        own.entry("usdt").or_insert_with(|| json!(amount));
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amount_is_told_where_the_values_do_not_say_it() {
        let amount = Some(Usdt::whole(7));
        assert_eq!(
            values(json!({ "number": 3 }), amount),
            json!({ "number": 3, "usdt": Usdt::whole(7) })
        );
        let own = json!({ "usdt": Usdt::whole(2) });
        assert_eq!(values(own.clone(), amount), own);
        assert_eq!(values(json!({ "number": 3 }), None), json!({ "number": 3 }));
    }
}
