import { isSealedWith, seal, tryOpen } from '../auth/seal.ts'
import { columns } from '../storage/columns.ts'
import type { Renewal, RenewSeals } from './secret-records.ts'

/** A hidden member of the rows of a table, which is stored sealed. */
interface SealedMember {
  readonly table: string
  readonly member: string
  /** The column that tells people which row it is. */
  readonly name: string
  /** How people call the value of a row. */
  readonly describe: (name: string, storeId: string) => string
}

const rowsPerRound = 1000

/** Seals a member of all rows with the current key. The secrets, and so the objects, do not change. */
export function renewMember({ table, member, name, describe }: SealedMember): RenewSeals {
  const row = columns({ storeId: 'store_id', id: 'id', sealed: `hidden->>'${member}'`, calls: name })
  return async ({ database, sealKeys }): Promise<Renewal> => {
    const lost: string[] = []
    let renewed = 0
    const none = '00000000-0000-0000-0000-000000000000'
    for (let after = [none, none]; ; ) {
      const tuples = await database.run({
        text: `SELECT ${row.sql} FROM ${table}
               WHERE (store_id, id) > ($1, $2) AND hidden->>'${member}' IS NOT NULL
               ORDER BY store_id, id LIMIT ${rowsPerRound}`,
        values: after,
      })
      const rows = tuples.map(row.read)
      for (const { storeId, id, sealed, calls } of rows) {
        if (isSealedWith(sealKeys[0], sealed)) continue
        const secret = tryOpen(sealKeys, sealed)
        if (secret === undefined) {
          lost.push(describe(calls, storeId))
          continue
        }
        // Unless the secret has changed since. A concurrent change may write the old seal back; the next run finds it.
        await database.run({
          text: `UPDATE ${table} SET hidden = (hidden::jsonb || jsonb_build_object('${member}', $4::text))::json
                 WHERE store_id = $1 AND id = $2 AND hidden->>'${member}' = $3`,
          values: [storeId, id, sealed, seal(sealKeys, secret)],
        })
        renewed++
      }
      const last = rows[rowsPerRound - 1]
      if (!last) return { renewed, lost }
      after = [last.storeId, last.id]
    }
  }
}
