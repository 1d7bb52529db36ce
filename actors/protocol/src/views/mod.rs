//! What a thing looks like to those who may see it: the same shape in a REST answer and in a live fact.

mod chain;
mod grants;
mod money;
mod network;
mod notices;
mod ranks;
mod rules;
mod support;
mod trading;

pub use self::{
    chain::*, grants::*, money::*, network::*, notices::*, ranks::*, rules::*, support::*, trading::*,
};

/// Attributes shared by every shape that crosses the wire.
macro_rules! wire {
    ($($(#[$doc:meta])* $vis:vis $kind:ident $name:ident $body:tt)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $vis $kind $name $body
    )+};
}

/// A small closed set of words, stored as text in the database and written in snake case on the wire.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "database", derive(sqlx::Type), sqlx(type_name = "text"))]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] #[cfg_attr(feature = "database", sqlx(rename = $text))] $variant),+ }
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),+ } }
        }
        impl std::str::FromStr for $name {
            type Err = ();
            fn from_str(s: &str) -> Result<Self, ()> { match s { $($text => Ok(Self::$variant),)+ _ => Err(()) } }
        }
        impl std::fmt::Display for $name { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) } }
        // By hand: the derive does not see names that reach it through a macro.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }
        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {}
    )+};
}

pub(crate) use {wire, words};
