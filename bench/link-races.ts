import { type CreatedObject, customerRealmOf, startOwnServer } from './own-server.ts'

/**
 * `node bench/link-races.ts [races]`: in each race two users are linked to the same identity at the same time, over
 * HTTP. Fails unless every race has one winner, every loser gets a 409, and the database has one link for each race.
 */
const [races = 100_000] = process.argv.slice(2).map(Number)
const racesAtOnce = 64
const issuer = 'https://id.example.com'

const server = await startOwnServer()
try {
  const realm = `/v2/authentication-realms/${await customerRealmOf(server)}`
  const { id: profileId } = await make(`${realm}/oidc-profiles`, {
    type: 'oidc-profile',
    name: 'Directory',
    discovery_url: `${issuer}/.well-known/openid-configuration`,
    client_id: 'shop',
    client_secret: 'the provider knows it',
  })
  const lanes = await Promise.all(
    Array.from({ length: racesAtOnce }, () => Promise.all([newRacer(realm, 'one'), newRacer(realm, 'two')])),
  )

  const outcomes = new Map<string, number>()
  let started = 0
  const began = performance.now()
  await Promise.all(
    lanes.map(async (racers) => {
      while (started < races) {
        const subject = `subject-${started++}`
        const body = JSON.stringify({
          data: {
            type: 'user_authentication_oidc_profile_info',
            oidc_profile_id: profileId,
            issuer,
            subject,
          },
        })
        const statuses = await Promise.all(racers.map((links) => server.post(links, body)))
        const outcome = statuses.sort().join(' ')
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        if (started % 10_000 === 0) process.stdout.write(`${started}\n`)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000

  const [counted] = await server.database.run({
    text: `SELECT count(*), count(DISTINCT (realm_id, oidc_profile_id, issuer, subject))
           FROM user_authentication_oidc_profile_infos`,
    values: [],
  })
  const [links, identities] = (counted ?? []).map(Number)
  const good = outcomes.get('201 409') === races && links === races && identities === races
  process.stdout.write(
    `${races} races in ${seconds.toFixed(0)} s (${Math.round(races / seconds)} races/s): ` +
      `${JSON.stringify(Object.fromEntries(outcomes))}, ${links} links of ${identities} identities: ` +
      `${good ? 'one winner each' : 'WRONG'}\n`,
  )
  if (!good) process.exitCode = 1
} finally {
  await server.stop()
}

async function make(path: string, data: object): Promise<CreatedObject> {
  return (await server.call<{ data: CreatedObject }>('POST', path, data, 201)).data
}

/** Creates a user, and returns the path of their links. */
async function newRacer(realm: string, name: string): Promise<string> {
  const users = `${realm}/user-authentication-info`
  const { id } = await make(users, { type: 'user_authentication_info', name, email: `${name}@example.com` })
  return `${users}/${id}/user-authentication-oidc-profile-info`
}
