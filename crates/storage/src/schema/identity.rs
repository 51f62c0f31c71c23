//! The tables of authentication: tokens, links, sessions, grants, keys.

diesel::table! {
    tokens (id) {
        id -> BigInt,
        user_id -> BigInt,
        name -> Text,
        read_only -> Bool,
        books -> Nullable<Text>,
        created_at -> BigInt,
        expires_at -> BigInt,
        revoked_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    login_links (digest) {
        digest -> Binary,
        email -> Text,
        created_at -> BigInt,
        used_at -> Nullable<BigInt>,
        invitation -> Bool,
    }
}

diesel::table! {
    sessions (id) {
        id -> BigInt,
        user_id -> BigInt,
        digest -> Binary,
        signed_in_at -> BigInt,
        used_at -> BigInt,
        ended_at -> Nullable<BigInt>,
        method -> Nullable<Text>,
    }
}

diesel::table! {
    signing_keys (algorithm, number) {
        algorithm -> Text,
        number -> BigInt,
        id -> Text,
        sealed -> Binary,
        created_at -> BigInt,
        signs_from -> BigInt,
    }
}

diesel::table! {
    grants (id) {
        id -> BigInt,
        user_id -> BigInt,
        client -> Text,
        scope -> Text,
        signed_in_at -> BigInt,
        rotation -> BigInt,
        expires_at -> BigInt,
    }
}

diesel::table! {
    consents (user_id, client) {
        user_id -> BigInt,
        client -> Text,
        scope -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    device_authorizations (digest) {
        digest -> Binary,
        user_code -> Text,
        client -> Text,
        scope -> Text,
        created_at -> BigInt,
        polled_at -> Nullable<BigInt>,
        poll_interval -> BigInt,
        denied -> Bool,
        grant_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    api_keys (id) {
        id -> BigInt,
        user_id -> BigInt,
        name -> Text,
        digest -> Binary,
        rate -> Nullable<BigInt>,
        created_at -> BigInt,
        revoked_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    api_key_days (key_id, day) {
        key_id -> BigInt,
        day -> BigInt,
        calls -> BigInt,
    }
}

diesel::table! {
    identity_changes (id) {
        id -> Integer,
        count -> BigInt,
    }
}
