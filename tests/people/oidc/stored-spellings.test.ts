import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'

/** Links of one person by several spellings of an issuer may be older than the rule that refuses them. */

let old: OwnDatabase
beforeAll(async () => {
  old = await ownDatabase()
})
afterAll(() => old.drop())

const [organisation, store, realm, profile, person] = Array.from({ length: 5 }, () => randomUUID())
const table = 'user_authentication_oidc_profile_infos'

const insert = (table: string, columns: Readonly<Record<string, unknown>>) =>
  old.sql(
    `INSERT INTO ${table} (store_id, created_at, updated_at, ${Object.keys(columns)})
     VALUES ($1, now(), now(), ${Object.keys(columns).map((_, i) => `$${i + 2}`)})`,
    [store, ...Object.values(columns)],
  )

const link = async (issuer: string, subject?: string, isDoubled?: 'doubled') => {
  const id = randomUUID()
  const doc = { issuer, subject, oidc_profile_id: profile }
  const doubled = isDoubled && `${issuer} ${subject}`
  await insert(table, { id, realm_id: realm, user_authentication_info_id: person, doc, doubled })
  return id
}

const at = 'https://id.example.com'

test('links of one person in several spellings stay, and a further one is refused', async () => {
  await old.sql('INSERT INTO organisations VALUES ($1, $2, now())', [organisation, 'Old'])
  await old.sql('INSERT INTO stores VALUES ($1, $2, $3, now())', [store, organisation, 'Old'])
  await insert('authentication_realms', {
    id: realm,
    doc: { relationships: { origin: { data: { type: 'x' } } } },
  })
  await insert('oidc_profiles', { id: profile, realm_id: realm, doc: {} })
  await insert('user_authentication_infos', { id: person, realm_id: realm, doc: { name: 'A', email: 'a@b' } })
  const doubled = [await link(`${at}/`, 'twice', 'doubled'), await link(at, 'twice')]
  doubled.push(await link(`${at}//`, 'twice', 'doubled'))
  await link(`${at}//`, 'slashes', 'doubled')
  await link(`${at}/`, 'slashes')
  await link(`${at}/`, 'once')
  await link(at)

  for (const subject of ['twice', 'slashes', 'once']) {
    for (const issuer of [at, `${at}///`]) await expect(link(issuer, subject)).rejects.toThrow('identity_key')
  }
  await link(`${at}/`)
  // A link whose identity changes is like any other.
  const move = (id: string | undefined, issuer: string, subject: string) =>
    old.sql(`UPDATE ${table} SET doc = $2 WHERE id = $1`, [id, { issuer, subject, oidc_profile_id: profile }])
  await move(doubled[0], `${at}/`, 'moved')
  await expect(link(at, 'moved')).rejects.toThrow('identity_key')
  await expect(move(doubled[2], `${at}/`, 'moved')).rejects.toThrow('identity_key')
})
