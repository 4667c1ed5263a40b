import { choice, reference, text } from '../kernel/shape/fields.ts'

export const stateCharsMax = 2048
export const forwardedCharsMax = 512
/** A SHA-256 in base64url without padding. */
export const codeChallengePattern = /^[\w-]{43}$/

const forProvider = text({
  max: forwardedCharsMax,
  about: 'For the provider to read (OpenID Connect Core §3.1.2.1).',
})

/** What a storefront sends in the query to begin a sign-in. */
export const loginQuery = {
  client_id: text({
    required: true,
    about: 'The client id of the realm, which the settings that lead to it have.',
  }),
  redirect_uri: text({
    required: true,
    about: 'Where the browser goes back to: one of the `redirect_uris` of the realm, to the letter.',
  }),
  response_type: choice(['code'], { required: true }),
  scope: text({
    required: true,
    about: 'At least `openid` and `email`, with spaces between.',
    example: 'openid email',
  }),
  state: text({ required: true, min: 1, max: stateCharsMax, about: 'Comes back with the browser.' }),
  code_challenge_method: choice(['S256'], { required: true }),
  code_challenge: text({
    required: true,
    pattern: codeChallengePattern,
    about: 'The SHA-256 of the code verifier, in base64url without padding (RFC 7636 §4.2).',
  }),
  elasticpath_commerce_cloud_profile_id: reference('oidc_profile', {
    required: true,
    about: 'The OIDC profile of the provider.',
  }),
  prompt: forProvider,
  display: forProvider,
  ui_locales: forProvider,
  ep_report_callback_replay_error: choice(['true'], {
    about: 'The storefront wants to be told when the way back is taken a second time.',
  }),
}

/** What a provider sends in the query when the browser comes back (OpenID Connect Core §3.1.2.5, §3.1.2.6). */
export const callbackQuery = {
  state: text({ required: true, about: 'Names the sign-in.' }),
  code: text({ about: 'The code for our tokens, when the person has signed in.' }),
  error: text({ about: 'Why they have not.' }),
  error_description: text({ about: 'The same for developers.' }),
  iss: text({ about: 'The issuer (RFC 9207), from providers that send it.' }),
}
