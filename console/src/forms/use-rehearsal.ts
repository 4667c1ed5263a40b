import { useQuery } from '@tanstack/react-query'
import type { Response } from '../api/client.ts'
import { useSettled } from './use-settled.ts'

/** What the server says that it would do. */
export interface Rehearsal {
  readonly answer: unknown
  /** Why it would refuse. */
  readonly refusal: Error | undefined
  /** It has been asked, and has not answered what is there now. */
  readonly isChecking: boolean
  /** It would do what is there now. */
  readonly isReady: boolean
}

/** Asks for a dry run of a body as soon as somebody pauses. Undefined is no body: there is nothing to ask. */
export function useRehearsal(
  key: readonly unknown[],
  body: unknown,
  rehearse: (body: unknown, signal: AbortSignal) => Promise<Response>,
): Rehearsal {
  const settled = useSettled(body)
  const { data, error, isFetching, isSuccess } = useQuery({
    queryKey: ['rehearsal', ...key, settled],
    queryFn: ({ signal }) => rehearse(settled, signal),
    enabled: settled !== undefined,
    ...{ retry: false, staleTime: 0, gcTime: 0 },
  })
  const isAnswered = body !== undefined && JSON.stringify(settled) === JSON.stringify(body) && !isFetching
  return {
    answer: data?.body,
    refusal: isAnswered ? (error ?? undefined) : undefined,
    isChecking: body !== undefined && !isAnswered,
    isReady: isAnswered && isSuccess,
  }
}
