import { isSealedWith, seal, tryOpen } from '../auth/seal.ts'
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
  return async ({ database, sealKeys }): Promise<Renewal> => {
    const lost: string[] = []
    let renewed = 0
    const none = '00000000-0000-0000-0000-000000000000'
    for (let after = [none, none]; ; ) {
      const rows = await database.run({
        text: `SELECT store_id, id, hidden->>'${member}', ${name} FROM ${table}
               WHERE (store_id, id) > ($1, $2) AND hidden->>'${member}' IS NOT NULL
               ORDER BY store_id, id LIMIT ${rowsPerRound}`,
        values: after,
      })
      for (const [storeId, id, sealed, called] of rows as [string, string, string, string][]) {
        if (isSealedWith(sealKeys[0], sealed)) continue
        const secret = tryOpen(sealKeys, sealed)
        if (secret === undefined) {
          lost.push(describe(called, storeId))
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
      if (rows.length < rowsPerRound) return { renewed, lost }
      after = rows.at(-1)?.slice(0, 2) as string[]
    }
  }
}
