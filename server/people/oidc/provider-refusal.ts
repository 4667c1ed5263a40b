import { AuthorizationResponseError } from 'openid-client'
import type { Work } from '../../kernel/work/context.ts'
import { isSignInError, SignInRefusal } from './sign-in-refusal.ts'

/**
 * Runs requests to a provider. Every failure is the fault of the provider or its configuration, and the storefront gets
 * the same refusal for all of them: the merchant who chose the address must not learn what is there. The log has the
 * reasons, but not the messages, because they contain codes and tokens.
 */
export async function converse<T>(work: Work, profileId: string, talk: () => Promise<T>): Promise<T> {
  try {
    return await talk()
  } catch (error) {
    const refusal = refusalOf(error)
    const about = { oidc_profile: profileId, request_id: work.requestId, reasons: reasonsOf(error) }
    work.instance.log.warn(about, `sign-in: ${refusal.message}`)
    throw refusal
  }
}

function refusalOf(error: unknown): SignInRefusal {
  if (error instanceof AuthorizationResponseError) {
    const { error: code } = error
    return new SignInRefusal(
      isSignInError(code) ? code : 'access_denied',
      'The provider refused to sign the user in.',
    )
  }
  return new SignInRefusal(
    'temporarily_unavailable',
    'The provider is not reachable, or its response is not valid.',
  )
}

const depthMax = 5

function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let one = error; one instanceof Error && chain.length < depthMax; one = one.cause) chain.push(one)
  return chain
}

// The messages of the libraries name a claim or a status. Only a parser repeats its input, so its message is left out.
const reasonsOf = (error: unknown): readonly string[] =>
  chainOf(error).map((one) =>
    one instanceof SyntaxError ? 'not JSON' : [one.message, ...providerWords(one)].join(': '),
  )

/** The error code and the status of the provider (RFC 6749 §5.2), which the messages of the libraries leave out. */
function providerWords(error: Error): readonly string[] {
  const { error: word, status } = error as { error?: unknown; status?: unknown }
  return [word, status].flatMap((one) => (/^[\w.-]{1,64}$/.test(String(one ?? '')) ? [String(one)] : []))
}
