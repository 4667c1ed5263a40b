import { useQuery } from '@tanstack/react-query'
import { readOwn, useOwn } from '../api/own.ts'
import { useRights } from '../api/rights.ts'

/** Reads what the store has added to the API, and draws anew what shows it. */
export function useOwnParts(): void {
  const rights = useRights()
  useOwn()
  useQuery({
    // With the lists, so that it is read again after each write of a form.
    queryKey: ['list', 'own', rights.role],
    queryFn: ({ signal }) => readOwn(rights, signal),
    enabled: rights.isKnown,
    staleTime: 60_000,
  })
}
