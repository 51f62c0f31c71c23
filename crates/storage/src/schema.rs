//! The tables that diesel builds statements for. `entries`, `index_terms`, the trigram index and
//! the totals are written and read with [`crate::sql`].

diesel::table! {
    users (id) {
        id -> BigInt,
        email -> Text,
        username -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    books (id) {
        id -> BigInt,
        public_id -> Text,
        owner_id -> BigInt,
        name -> Text,
        auto_post -> Bool,
        closing_date -> Nullable<Integer>,
        lock_date -> Nullable<Integer>,
        date_pattern -> Text,
        decimal_separator -> Text,
        fraction_digits -> Integer,
        scale -> Integer,
        page_size -> Integer,
        period -> Text,
        period_start_month -> Text,
        time_zone -> Text,
        visibility -> Text,
        properties -> Nullable<Text>,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    book_state (book_id) {
        book_id -> BigInt,
        sequence -> BigInt,
        hash -> Binary,
        changed_at -> BigInt,
        posted -> BigInt,
        month -> Integer,
        month_posted -> BigInt,
        year_posted -> BigInt,
        chart_version -> BigInt,
        indexed_until_id -> BigInt,
        indexed_chunks -> BigInt,
        unindexed -> BigInt,
        last_event_at -> BigInt,
    }
}

diesel::table! {
    collaborators (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        email -> Text,
        permission -> Text,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    accounts (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        name -> Text,
        normalized_name -> Text,
        kind -> Text,
        archived -> Bool,
        balance_verified -> Bool,
        has_transaction_posted -> Bool,
        properties -> Nullable<Text>,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    account_groups (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        name -> Text,
        normalized_name -> Text,
        parent_id -> Nullable<BigInt>,
        hidden -> Bool,
        locked -> Bool,
        properties -> Nullable<Text>,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    memberships (book_id, group_id, account_id) {
        book_id -> BigInt,
        group_id -> BigInt,
        account_id -> BigInt,
    }
}

diesel::table! {
    transactions (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        day -> Integer,
        dated -> Bool,
        standing -> Integer,
        trashed -> Bool,
        amount -> Nullable<BigInt>,
        credit_account_id -> Nullable<BigInt>,
        debit_account_id -> Nullable<BigInt>,
        description -> Text,
        folded_description -> Text,
        posted_at -> Nullable<BigInt>,
        properties -> Nullable<Text>,
        urls -> Nullable<Text>,
        remote_ids -> Nullable<Text>,
        created_by -> BigInt,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
        files -> Nullable<Text>,
    }
}

diesel::table! {
    files (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        name -> Text,
        content_type -> Text,
        size -> BigInt,
        digest -> Text,
        blob -> Text,
        token -> Text,
        properties -> Nullable<Text>,
        created_by -> BigInt,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    events (book_id, sequence) {
        book_id -> BigInt,
        sequence -> BigInt,
        kind -> Integer,
        resource -> BigInt,
        created_at -> BigInt,
        user_id -> BigInt,
        agent -> Nullable<Text>,
        data -> Text,
        hash -> Binary,
    }
}

diesel::table! {
    saved_queries (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        title -> Text,
        query -> Text,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    idempotency_keys (user_id, key, operation) {
        user_id -> BigInt,
        key -> Text,
        operation -> Binary,
        fingerprint -> Binary,
        created_at -> BigInt,
        status -> Integer,
        version_tag -> Nullable<Text>,
        body -> Binary,
    }
}

diesel::table! {
    collections (user_id, id) {
        user_id -> BigInt,
        id -> BigInt,
        name -> Text,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    process_starts (id) {
        id -> Integer,
        count -> BigInt,
    }
}

diesel::table! {
    collection_books (user_id, book_id) {
        user_id -> BigInt,
        book_id -> BigInt,
        collection_id -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, account_groups, memberships);
