// What one issuer remembers, in the form oidc-provider asks for. Its own adapter is one memory for
// all issuers of a process, so each would know the tokens of the others.

export function storeOf() {
  const kinds = new Map();
  const rows = (kind) => {
    if (!kinds.has(kind)) {
      kinds.set(kind, new Map());
    }
    return kinds.get(kind);
  };

  return class Store {
    constructor(kind) {
      this.rows = rows(kind);
    }

    async upsert(id, payload) {
      this.rows.set(id, payload);
    }

    // oidc-provider looks at `exp` by itself.
    async find(id) {
      return this.rows.get(id);
    }

    async findByUid(uid) {
      return [...this.rows.values()].find((row) => row.uid === uid);
    }

    async consume(id) {
      this.rows.get(id).consumed = Math.floor(Date.now() / 1000);
    }

    async destroy(id) {
      this.rows.delete(id);
    }

    async revokeByGrantId(grantId) {
      for (const table of kinds.values()) {
        for (const [id, row] of table) {
          if (row.grantId === grantId) {
            table.delete(id);
          }
        }
      }
    }
  };
}
