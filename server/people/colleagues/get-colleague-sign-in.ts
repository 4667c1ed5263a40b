import { action } from '../../kernel/declare/action.ts'
import { json } from '../../kernel/shape/answer.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { consoleAddress, realmClients } from '../identity/authentication-realms.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { enterStore, storeToEnter } from './store-to-enter.ts'

const signInShown = shown.group({
  type: shown.constant('colleague_sign_in'),
  store_id: shown.uuid,
  realm_id: about('The merchant realm.', shown.uuid),
  client_id: about('What a sign-in at a provider sends as its `client_id`.', shown.text),
  redirect_uri: about('The page of the console that a provider leads back to.', shown.uri),
  passwords: about('Whether colleagues may have a password.', shown.flag),
  one_time_passwords: about('Whether a colleague may request a one-time password.', shown.flag),
  providers: about(
    'The OIDC profiles of the realm, by their names.',
    shown.list(shown.group({ id: shown.uuid, name: shown.text })),
  ),
})

/** What the sign-in page of a program shows. It says nothing of any person. */
export const getColleagueSignIn = action({
  name: 'get-colleague-sign-in',
  route: 'GET /v2/colleague-sign-in',
  about: 'Shows how the colleagues of a store can sign in.',
  area: 'open',
  status: 200,
  refuses: ['unprocessable'],
  query: { store: storeToEnter },
  shows: { data: signInShown },

  async run(ctx, { query }) {
    const named = new URLSearchParams(query).get('store') ?? undefined
    const inside = await enterStore(ctx, named, 'store')
    const realmId = await merchantRealmId(inside)
    const [profiles, providers] = await Promise.all([
      inside.store.read(
        `SELECT doc->>'enable_one_time_password_token' FROM password_profiles
         WHERE store_id = $1 AND realm_id = $2 ORDER BY created_at, id LIMIT 1`,
        realmId,
      ),
      inside.store.read(
        `SELECT id, doc->>'name' FROM oidc_profiles WHERE store_id = $1 AND realm_id = $2
         ORDER BY doc->>'name', id LIMIT 20`,
        realmId,
      ),
    ])
    const data: ShownValue<typeof signInShown> = {
      type: 'colleague_sign_in',
      store_id: inside.store.id,
      realm_id: realmId,
      client_id: realmClients['merchant-realm-mappings'],
      redirect_uri: consoleAddress(ctx.baseUrl),
      passwords: profiles.length > 0,
      one_time_passwords: profiles[0]?.[0] === 'true',
      providers: providers.map(([id, name]) => ({ id: id as string, name: name as string })),
    }
    return json(200, { data })
  },
})
