import { choice, reference, text } from '../../kernel/shape/fields.ts'

export const stateCharsMax = 2048
export const forwardedCharsMax = 512
/** A SHA-256 in base64url without padding. */
export const codeChallengePattern = /^[\w-]{43}$/

const forProvider = text({
  max: forwardedCharsMax,
  about: 'Passed on to the provider (OpenID Connect Core §3.1.2.1).',
})

/** The query parameters of a storefront that starts a sign-in. */
export const loginQuery = {
  client_id: text({
    required: true,
    about: 'The client id of the realm, as the settings of the realm show it.',
  }),
  redirect_uri: text({
    required: true,
    about: 'The address to redirect the browser to: exactly one of the `redirect_uris` of the realm.',
  }),
  response_type: choice(['code'], { required: true }),
  scope: text({
    required: true,
    about: 'The scopes, separated by spaces: at least `openid` and `email`.',
    example: 'openid email',
  }),
  state: text({
    required: true,
    min: 1,
    max: stateCharsMax,
    about: 'A value of your choice. The redirect to the storefront returns it unchanged.',
  }),
  code_challenge_method: choice(['S256'], { required: true }),
  code_challenge: text({
    required: true,
    pattern: codeChallengePattern,
    about: 'The SHA-256 of the code verifier, in base64url without padding (RFC 7636 §4.2).',
  }),
  elasticpath_commerce_cloud_profile_id: reference('oidc-profile', {
    required: true,
    about: 'The OIDC profile of the provider.',
  }),
  prompt: forProvider,
  display: forProvider,
  ui_locales: forProvider,
  ep_report_callback_replay_error: choice(['true'], {
    about: '`true` redirects to the storefront with an error if the browser comes back a second time.',
  }),
}

/** The query parameters of a provider that redirects the browser back (OpenID Connect Core §3.1.2.5, §3.1.2.6). */
export const callbackQuery = {
  state: text({ required: true, about: 'Identifies the sign-in.' }),
  code: text({ about: 'The authorization code of the provider, if the person has signed in.' }),
  error: text({ about: 'The error code, if the person has not signed in.' }),
  error_description: text({ about: 'The error in words, for developers.' }),
  iss: text({ about: 'The issuer (RFC 9207), if the provider sends it.' }),
}
