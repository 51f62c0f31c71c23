//! The tables whose queries diesel writes. The others are written and read with [`crate::sql`]. The
//! columns of all are in the migrations, which have the same steps, tables, columns and indexes for
//! both engines.
//!
//! | Table | What it holds, and why |
//! |---|---|
//! | `users`, `books` | Who, and what owners decide. The id of a book is internal; clients know `public_id` |
//! | `book_keys` | The numbers of books by their public ids, which are unique here |
//! | `book_state` | What moves with every write: number and hash of the last event, counts, chart version, index progress. It is apart from `books`, so that a write rewrites a short row |
//! | `collaborators` | Who may see a book, and how much they may do |
//! | `access_requests` | What users ask of a book. The newest request of a user replaces the one before |
//! | `transfer_offers` | The books that owners offer to others, one offer of a book |
//! | `accounts`, `account_groups`, `memberships` | The chart. Names are unique by normalized name |
//! | `saved_queries` | Query texts that a book keeps for everybody in it |
//! | `collections`, `collection_books` | A user's sets of books. Its key says that a book is in at most one collection of an owner |
//! | `transactions` | The document. `day` is its place in lists: its date, or for a draft without one the day it was recorded |
//! | `files` | What is known of a file beside its bytes, and the name of its blob |
//! | `entries` | A view of `transactions`: one row for each side that a transaction names, with its amount, which is zero while it is a draft or trashed. So a sum needs no filter, and an account's ledger, drafts included, is one index range for each side |
//! | `index_terms` | One inverted index for all that is found exactly ([`crate::index_term`]) |
//! | `trigrams`, `trigram_blocks` | Where texts may occur (`transaction/trigram_index.rs`); `book_state` says how far they reach |
//! | `month_totals` | Debit and credit of one account in one month and on its days, kept by the unit of work that posts |
//! | `month_counts` | How many transactions are dated in a month, posted and trashed, kept likewise |
//! | `events` | The log: a row for each event, or for a block of them (`event/event_row.rs`) |
//! | `deliveries`, `delivery_queues`, `bot_responses` | Events on their way to apps; when each app of a book is due, and which process delivers; what apps have to say about events |
//! | `failed_transactions` | The transactions with an event that an app answered with an error, with their place in lists |
//! | `delivery_attempts` | The delivery log, for 30 days |
//! | `detached_deliveries` | What apps are still to be told of the deletion of books that are gone |
//! | `idempotency_keys` | Answers to requests with a key, by user, key and operation. They outlive books and are swept away after 24 hours |
//! | `tokens` | The access tokens that were issued, until 30 days after their end |
//! | `login_links`, `sessions` | How people sign in with a browser |
//! | `signing_keys` | The key pairs that others verify signatures of, with sealed private keys |
//! | `mails` | The outbox: what is to be sent, and for a week what became of it |
//! | `grants`, `consents`, `device_authorizations` | What users let apps do, the apps they agreed to, and the programs that wait for a decision |
//! | `api_keys`, `api_key_days` | API keys, until 30 days after they were revoked; how often each was used on a day |
//! | `apps`, `app_people` | What users install in books, and whom their manifests name |
//! | `connections` | What users let apps use elsewhere, with sealed properties |
//! | `integrations` | The apps that are installed in books, and the programs of banks |
//! | `identity_changes` | One row: how often users, tokens and API keys were changed. Processes compare it to forget what they remember |
//! | `process_starts` | One row: how often the database was opened. The number makes ids unique |
//! | `commits` | The last commits of each writer on PostgreSQL, to find out what became of one whose answer did not come ([`crate::commit_mark`]) |
//! | `audit_requests` | Audits that are asked for and not finished |
//! | `unfinished_copies` | Books that are being copied in portions, and who copies. Such a book has no collaborators, so nobody sees it |
//! | `copied_transactions` | The digest that a copied transaction had before its first change: the log of the copy proves it |

mod identity;

pub(crate) use identity::{
    api_key_days, api_keys, consents, device_authorizations, grants, identity_changes, login_links,
    sessions, signing_keys, tokens,
};

diesel::table! {
    book_keys (public_id) {
        public_id -> Text,
        book_id -> BigInt,
    }
}

diesel::table! {
    users (id) {
        id -> BigInt,
        email -> Text,
        username -> Text,
        created_at -> BigInt,
        disabled_at -> Nullable<BigInt>,
        name -> Nullable<Text>,
        given_name -> Nullable<Text>,
        family_name -> Nullable<Text>,
        picture -> Nullable<Text>,
        hosted_domain -> Nullable<Text>,
        bank_connections -> Bool,
        storage_allowance -> Nullable<Text>,
        mailbox -> Text,
        admitted_by -> Nullable<BigInt>,
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
        deleted_at -> Nullable<BigInt>,
        kept_until -> Nullable<BigInt>,
        file_secret -> Text,
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
        posted_months -> Text,
        chart_version -> BigInt,
        indexed_until_id -> BigInt,
        indexed_chunks -> BigInt,
        unindexed -> BigInt,
        last_event_at -> BigInt,
        apps -> BigInt,
        stored_transactions -> BigInt,
        stored_bytes -> BigInt,
    }
}

diesel::table! {
    bot_responses (book_id, sequence, app_id) {
        book_id -> BigInt,
        sequence -> BigInt,
        app_id -> Text,
        kind -> Text,
        message -> Text,
        created_at -> BigInt,
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
        resource -> BigInt,
        created_at -> BigInt,
        user_id -> BigInt,
        kind -> Integer,
        agent -> Nullable<Text>,
        data -> Binary,
        hash -> Binary,
        count -> Nullable<Integer>,
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
    connections (user_id, id) {
        user_id -> BigInt,
        id -> BigInt,
        app_id -> Text,
        uuid -> Text,
        kind -> Text,
        name -> Text,
        properties -> Nullable<Binary>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    integrations (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        app_id -> Text,
        connection_id -> BigInt,
        installer_id -> BigInt,
        name -> Text,
        properties -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
        reach -> Text,
        own_events -> Bool,
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
        form -> Integer,
        needs -> Nullable<Text>,
        counted_bytes -> Nullable<BigInt>,
        notes -> Nullable<Text>,
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

diesel::table! {
    mails (id) {
        id -> BigInt,
        recipient -> Text,
        kind -> Text,
        user_id -> Nullable<BigInt>,
        book -> Nullable<Text>,
        subject -> Text,
        plain -> Text,
        html -> Text,
        created_at -> BigInt,
        due_at -> BigInt,
        until -> BigInt,
        attempts -> BigInt,
        ended_at -> Nullable<BigInt>,
        ending -> Nullable<Text>,
        failure -> Nullable<Text>,
    }
}

diesel::table! {
    apps (id) {
        id -> Text,
        owner_id -> BigInt,
        name -> Text,
        texts -> Text,
        readme -> Nullable<Text>,
        readme_md -> Nullable<Text>,
        connectable -> Bool,
        deprecated -> Bool,
        installable -> Bool,
        repo_private -> Bool,
        published -> Bool,
        events -> Nullable<Text>,
        file_patterns -> Nullable<Text>,
        scopes -> Nullable<Text>,
        properties_schema -> Nullable<Text>,
        client_secret -> Nullable<Binary>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    app_people (pattern, app_id) {
        pattern -> Text,
        app_id -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, account_groups, memberships);
diesel::allow_tables_to_appear_in_same_query!(apps, app_people);
diesel::allow_tables_to_appear_in_same_query!(books, integrations);
