import { AuthorizationResponseError } from 'openid-client'
import type { Work } from '../kernel/work/context.ts'
import { isSignInError, SignInRefusal } from './sign-in-refusal.ts'

/**
 * Runs a conversation with a provider. Whatever goes wrong in it is the provider's, or its configuration's, and the
 * storefront is told the same of all of it: who chose the provider's address is not to learn what is there. The log has
 * the reasons, but not what was said: there are codes and tokens in it.
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
    const { error: said } = error
    return new SignInRefusal(
      isSignInError(said) ? said : 'access_denied',
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

// The words of the libraries, which name a claim or a status. Only a parser repeats what it was given.
const reasonsOf = (error: unknown): readonly string[] =>
  chainOf(error).map((one) =>
    one instanceof SyntaxError ? 'not JSON' : [one.message, ...saidBy(one)].join(': '),
  )

/** The provider's own word and status, of which the libraries say only that there are some (RFC 6749 §5.2). */
function saidBy(error: Error): readonly string[] {
  const { error: word, status } = error as { error?: unknown; status?: unknown }
  return [word, status].flatMap((said) => (/^[\w.-]{1,64}$/.test(String(said ?? '')) ? [String(said)] : []))
}
