import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readHistory } from '../../api/audit.ts'
import type { HistoryEntry } from '../../api/history-entry.ts'
import type { Item } from '../../api/objects.ts'
import { loadFields, resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { Time } from '../../fields/time.tsx'
import { Button } from '../../parts/button.tsx'
import { AuthorLink } from '../../records/author-link.tsx'
import { ChangeTable } from '../../records/change-table.tsx'
import { screenWords, words } from '../../words/words.ts'
import { otherIssuer, stopOf, textOf } from './identities.ts'
import css from './identity.module.css'
import { RelinkWindow } from './relink-window.tsx'
import { linksId, realmPathOf, useProfile } from './sign-ins.ts'

interface LinkCardProps {
  readonly link: Item
  readonly linkPath: string
  readonly user: Item
  readonly userPath: string
  readonly isOfCustomers: boolean
  onDone(text: string): void
}

/** The identity of a user at a provider: who signs in by it, or why nobody does, and who has linked it. */
export function LinkCard({ link, linkPath, user, userPath, isOfCustomers, onDone }: LinkCardProps) {
  const { identity } = screenWords
  const rights = useRights()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const realmPath = realmPathOf(userPath)
  const profile = useProfile(realmPath, link).data?.item
  const [name, issuer] = [textOf(user, 'name'), textOf(link, 'issuer')]
  const provider = textOf(profile, 'name') || textOf(link, 'oidc_profile_id')
  const resource = resourceOf(linksId)
  const mayRelink = resource?.update !== undefined && rights.may(resource.update.right)
  const stop = stopOf(link, profile)
  return (
    <article className={css.link} aria-label={provider}>
      <header>
        <h3>
          <Link to="/$" params={{ _splat: `${realmPath}/oidc-profiles/${link.oidc_profile_id}`.slice(1) }}>
            <bdi>{provider}</bdi>
          </Link>
        </h3>
        {mayRelink && <Button onClick={() => setOpen(true)}>{identity.relink}</Button>}
      </header>
      <dl className={css.facts}>
        <div>
          <dt>{identity.facts.issuer}</dt>
          <dd>
            <bdi>{issuer}</bdi>
          </dd>
        </div>
        <div>
          <dt>{identity.facts.subject}</dt>
          <dd>
            <Link to="/$" params={{ _splat: linkPath.slice(1) }}>
              <bdi>{textOf(link, 'subject') || identity.noSubject}</bdi>
            </Link>
          </dd>
        </div>
        <div>
          <dt>{identity.facts.since}</dt>
          <dd>
            <Time iso={textOf(link, 'meta.created_at')} />
          </dd>
        </div>
      </dl>
      <p className={stop && css.concern}>
        {stop === 'noSubject' && identity.stops.noSubject}
        {stop === 'otherIssuer' && identity.stops.otherIssuer(otherIssuer(profile, issuer) ?? '')}
        {!stop && identity.works(name)}
      </p>
      <LinkHistory id={String(link.id)} />
      {!mayRelink && rights.role && <p className={css.dim}>{words.rights.mayNotChange(rights.role)}</p>}
      {isOpen && (
        <RelinkWindow
          {...{ linkPath, user, userPath, profile, provider, isOfCustomers }}
          onDone={async () => {
            setOpen(false)
            onDone(identity.done(name))
            await Promise.all(['item', 'list'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </article>
  )
}

/** Who has linked it, and to what else before. */
function LinkHistory({ id }: { readonly id: string }) {
  const { identity } = screenWords
  const rights = useRights()
  const mayRead = rights.may('read changes')
  const fields = useQuery({
    queryKey: ['fields', linksId],
    queryFn: () => loadFields({ id: linksId }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const history = useQuery({
    queryKey: ['item', 'history', 'of a sign-in', id],
    queryFn: ({ signal }) => readHistory([id], '', signal),
    enabled: mayRead,
  })
  if (!mayRead)
    return rights.role ? <p className={css.dim}>{words.rights.missing('read changes', rights.role)}</p> : null
  if (!history.data) return null
  return (
    <>
      <h4>{identity.history}</h4>
      {history.data.entries.length === 0 && <p className={css.dim}>{words.history.noneAbout}</p>}
      <ol className={css.history}>
        {history.data.entries.map((entry) => (
          <li key={entry.position}>
            <AuthorLink author={entry.author} /> {saidOf(entry)} <Time iso={entry.at} />
            {entry.event === 'updated' && entry.changes.length > 0 && (
              <ChangeTable
                changes={entry.changes.filter(({ path }) => !path.startsWith('meta'))}
                shown={fields.data?.shown ?? []}
              />
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

const saidOf = ({ event }: HistoryEntry): string =>
  screenWords.identity.said[event] ?? words.history.event[event] ?? event
