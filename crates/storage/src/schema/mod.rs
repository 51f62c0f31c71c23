//! The tables that diesel queries. The others are used with [`crate::conn::sql`].
//!
//! The migrations define the columns of all tables, with the same steps, tables, columns and
//! indexes for both engines.
//!
//! | Table | Contents |
//! |---|---|
//! | `users`, `books` | Users, and the settings of books. The id of a book is internal; clients use `public_id` |
//! | `book_keys` | The numbers of books by public id, which is unique here |
//! | `book_state` | The data that every write changes: number and hash of the last event, counters, chart version, index progress. Separate from `books`, so a write rewrites a short row |
//! | `collaborators` | The users of a book, with their permissions |
//! | `access_requests` | Requests for access to a book, one per user and book |
//! | `transfer_offers` | Offers to transfer books, one per book |
//! | `accounts`, `account_groups`, `memberships` | The chart. Names are unique by normalized name |
//! | `saved_queries` | Query texts that the users of a book share |
//! | `reconciliations`, `reconciled_entries` | Comparisons of accounts with statements, and the transactions on them |
//! | `imports`, `import_matches` | Imports of files, and the transactions that they have matched |
//! | `collections`, `collection_books` | Sets of books of a user. The key allows a book in one collection per owner |
//! | `transactions` | Transactions. `day` is the place in lists: the date, or for a draft without date the day of recording |
//! | `comments` | Comments on transactions, whose rows have their number |
//! | `files` | File metadata, and the name of the blob |
//! | `entries` | A view of `transactions`: one row for each side, with an amount of zero for drafts and trashed transactions. Sums need no filter, and the ledger of an account, including drafts, is one index range for each side |
//! | `index_terms` | An inverted index of exact values ([`crate::index_term`]) |
//! | `trigrams`, `trigram_blocks` | The trigram index of texts (`transaction/trigram_index.rs`); `book_state` has its extent |
//! | `month_totals` | Debit and credit of an account in a month and on its days, updated by the unit of work that posts |
//! | `month_counts` | The number of posted and trashed transactions dated in a month, updated likewise |
//! | `events` | The log: a row for each event, or for a block of them (`rows/event.rs`) |
//! | `deliveries`, `delivery_queues`, `bot_responses` | Events to deliver to apps; the due time and the lease of each queue; app responses to events |
//! | `failed_transactions` | The transactions with an event that has an error response, with their day |
//! | `delivery_attempts` | The delivery log, for 30 days |
//! | `detached_deliveries` | Deliveries of the deletion of removed books |
//! | `idempotency_keys` | Responses by user, key and operation. They outlive books and are removed after 24 hours |
//! | `tokens` | Issued access tokens, until 30 days after their end |
//! | `login_links`, `sessions` | Sign-in links and browser sessions |
//! | `signing_keys` | Signing key pairs, with sealed private keys |
//! | `mails` | The outbox: mails to send, and ended ones for a week |
//! | `grants`, `consents`, `device_authorizations` | Grants to apps, consents, and pending device authorizations |
//! | `api_keys`, `api_key_days` | API keys, until 30 days after their revocation; calls per key and day |
//! | `apps`, `app_people` | Apps, and the users and domains in their manifests |
//! | `connections` | Connections of users to other services, with sealed properties |
//! | `integrations` | The apps that are installed in books, and the programs of banks |
//! | `identity_changes` | One row: the number of changes of users, tokens and API keys, by which processes invalidate caches |
//! | `process_starts` | One row: the number of times that the database was opened. It makes ids unique |
//! | `commits` | The last commit marks of each writer on PostgreSQL ([`crate::commit::mark`]) |
//! | `restore_holds` | Whether webhooks and mails are held back after a restore |
//! | `audit_requests`, `audit_findings` | Requested audits that are not finished; the last audits of books that had findings |
//! | `unfinished_copies` | Books that are being copied in portions, with the copying user. They have no collaborators, so no user sees them |
//! | `copied_transactions` | The digests of copied transactions before their first change, which the log of the copy contains |

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
        administrator -> Bool,
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
        min_balance -> Nullable<Text>,
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
        comment_count -> Integer,
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
    comments (book_id, transaction_id, id) {
        book_id -> BigInt,
        transaction_id -> BigInt,
        id -> BigInt,
        text -> Text,
        author_id -> BigInt,
        agent -> Nullable<Text>,
        created_at -> BigInt,
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
    reconciliations (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        account_id -> BigInt,
        day -> Integer,
        closing -> Text,
        file_id -> Nullable<BigInt>,
        created_by -> BigInt,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
    }
}

diesel::table! {
    imports (book_id, id) {
        book_id -> BigInt,
        id -> BigInt,
        state -> Text,
        name -> Text,
        options -> Text,
        summary -> Text,
        decisions -> Text,
        results -> Text,
        source -> Nullable<Text>,
        preview -> Nullable<Text>,
        blob_bytes -> BigInt,
        done -> BigInt,
        total -> BigInt,
        report_id -> Nullable<BigInt>,
        due_at -> Nullable<BigInt>,
        created_by -> BigInt,
        agent -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
        undo_started_at -> Nullable<BigInt>,
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
diesel::allow_tables_to_appear_in_same_query!(apps, integrations);
diesel::allow_tables_to_appear_in_same_query!(books, integrations);
