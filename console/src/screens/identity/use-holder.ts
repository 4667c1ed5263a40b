import { useQuery } from '@tanstack/react-query'
import type { Write } from '../../api/document.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { useWriter } from '../../forms/use-writer.ts'
import { type Holder, textOf } from './identities.ts'
import { linksId, passwordsId, useItem, useSignIns } from './sign-ins.ts'

export interface KnownHolder extends Holder {
  /** Empty until it is read. */
  readonly name: string
  /** The version of their link. */
  readonly etag: string | undefined
  /** What they can still sign in with; undefined until it is known. */
  readonly left: { readonly links: number; readonly passwords: number } | undefined
  /** Why the link cannot be taken from them. */
  readonly refusal: Error | undefined
  readonly isReady: boolean
}

/** Who has an identity, what they keep without it, and whether the server would take it from them. */
export function useHolder(holder: Holder | undefined, remove: Write): KnownHolder | undefined {
  const rights = useRights()
  const mayRead = (id: string) => rights.may(resourceOf(id)?.right ?? '')
  const user = useItem(holder?.userPath)
  const link = useItem(holder?.linkPath)
  const links = useSignIns(linksId, holder?.userPath, mayRead(linksId))
  const passwords = useSignIns(passwordsId, holder?.userPath, mayRead(passwordsId))
  const writer = useWriter(remove, holder?.linkPath ?? '')
  const etag = link.data?.etag
  const rehearsal = useQuery({
    queryKey: ['rehearsal', remove.method, holder?.linkPath, etag],
    queryFn: ({ signal }) => writer.rehearse(undefined, etag, signal),
    enabled: etag !== undefined && rights.may(remove.right),
    ...{ retry: false, staleTime: 0, gcTime: 0 },
  })
  if (!holder) return undefined
  const left =
    links.data && passwords.data
      ? { links: links.data.length - 1, passwords: passwords.data.length }
      : undefined
  return {
    ...{ ...holder, name: textOf(user.data?.item, 'name'), etag, left },
    refusal: rehearsal.error ?? undefined,
    isReady: user.isSuccess && rehearsal.isSuccess,
  }
}
