import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { Write } from '../../api/document.ts'
import type { Item } from '../../api/objects.ts'
import { ApiProblem } from '../../api/problem.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { useRehearsal } from '../../forms/use-rehearsal.ts'
import { useWriter } from '../../forms/use-writer.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { Window } from '../../parts/window.tsx'
import { screenWords, words } from '../../words/words.ts'
import { Costs } from './costs.tsx'
import { holderIn, otherIssuer, relinkBody, textOf } from './identities.ts'
import css from './identity.module.css'
import { linksId, useItem } from './sign-ins.ts'
import { useHolder } from './use-holder.ts'

interface RelinkWindowProps {
  readonly linkPath: string
  readonly user: Item
  readonly userPath: string
  readonly profile: Item | undefined
  readonly provider: string
  readonly isOfCustomers: boolean
  onDone(): void
  onClose(): void
}

/** Links a user to another identity. Before, the server says whether it is free, and whose it is. */
export function RelinkWindow(props: RelinkWindowProps) {
  const { identity } = screenWords
  // With its version as it is now: the list around has none.
  const link = useItem(props.linkPath)
  const { update, remove } = resourceOf(linksId) ?? {}
  return (
    <Window title={identity.relinkTitle(textOf(props.user, 'name'))} isOpen onClose={props.onClose}>
      {link.error && <Faults texts={faultTexts(link.error)} />}
      {link.data && update && remove ? (
        <Relink {...props} link={link.data.item} etag={link.data.etag} {...{ update, remove }} />
      ) : (
        !link.error && <p role="status">{words.loading}</p>
      )}
    </Window>
  )
}

interface RelinkProps extends RelinkWindowProps {
  readonly link: Item
  readonly etag: string | undefined
  readonly update: Write
  readonly remove: Write
}

function Relink(props: RelinkProps) {
  const { linkPath, link, etag, user, userPath, profile, provider, update, remove } = props
  const { identity } = screenWords
  const id = useId()
  const rights = useRights()
  const queries = useQueryClient()
  const writer = useWriter(update, linkPath)
  const unlinker = useWriter(remove, linkPath)
  const [subject, setSubject] = useState(textOf(link, 'subject'))
  const [issuer, setIssuer] = useState(textOf(link, 'issuer'))
  const [wantsMove, setWantsMove] = useState(false)
  const [typed, setTyped] = useState('')
  /** The name of who has lost the identity already, in the first step. */
  const [taken, setTaken] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isRunning, setRunning] = useState(false)

  const body = relinkBody(link, { subject, issuer })
  const {
    refusal,
    isChecking,
    isReady: isFree,
  } = useRehearsal([linkPath, etag], body, (sent, signal) => writer.rehearse(sent, etag, signal))
  const held = holderIn(refusal)
  const isOwn = held?.userPath === userPath
  const holder = useHolder(held && !isOwn ? held : undefined, remove)
  const isMoving = wantsMove && holder !== undefined
  const known = otherIssuer(profile, issuer.trim())
  const name = textOf(user, 'name')
  /** Whose name is typed: that of the person who loses most. */
  const loser = taken || (isMoving ? holder.name : name)
  const isPossible = isFree || (isMoving && holder.isReady && !holder.refusal)
  const isReady = isPossible && typed.trim() === loser && !isRunning

  const run = async () => {
    setRunning(true)
    setFaults([])
    try {
      if (isMoving) {
        await unlinker.write(undefined, holder.etag, holder.linkPath)
        setTaken(holder.name)
      }
      await writer.write(body, etag)
      props.onDone()
    } catch (error) {
      setFaults(textsOf(error))
      await Promise.all(
        ['item', 'list', 'rehearsal'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      )
    } finally {
      setRunning(false)
    }
  }
  return (
    <form
      noValidate
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void run()
      }}
    >
      <p className={css.dim}>{identity.relinkAbout(provider)}</p>
      <label htmlFor={`${id}-subject`}>{identity.facts.subject}</label>
      <input
        id={`${id}-subject`}
        className={parts.input}
        value={subject}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        onChange={({ target }) => setSubject(target.value)}
      />
      <label htmlFor={`${id}-issuer`}>{identity.facts.issuer}</label>
      <input
        id={`${id}-issuer`}
        className={parts.input}
        value={issuer}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        onChange={({ target }) => setIssuer(target.value)}
      />
      {known !== undefined && (
        <div className={css.concern}>
          <p>{identity.otherIssuer(known)}</p>
          <Button onClick={() => setIssuer(known)}>{identity.takeIssuer(known)}</Button>
        </div>
      )}
      <p role="status" className={css.verdict}>
        {body === undefined && identity.unchanged}
        {isChecking && words.record.checking}
        {isFree && `✓ ${taken ? identity.taken(taken) : identity.free(provider)}`}
        {isOwn && identity.heldHere}
        {holder?.name && identity.held(holder.name)}
      </p>
      {refusal && !held && <Faults texts={textsOf(refusal)} />}
      {holder?.name && (
        <>
          <p>
            <Link to="/$" params={{ _splat: holder.userPath.slice(1) }}>
              {identity.open(holder.name)}
            </Link>
          </p>
          {rights.may(remove.right) ? (
            <label className={css.check}>
              <input
                type="checkbox"
                checked={wantsMove}
                onChange={({ target }) => setWantsMove(target.checked)}
              />{' '}
              {identity.move(holder.name)}
            </label>
          ) : (
            rights.role && <p className={css.dim}>{words.rights.missing(remove.right, rights.role)}</p>
          )}
        </>
      )}
      {isMoving && <Faults texts={holder.refusal ? faultTexts(holder.refusal) : []} />}
      {isPossible && (
        <>
          <Costs
            {...{ link, name }}
            isOfCustomers={props.isOfCustomers}
            holder={isMoving ? holder : undefined}
          />
          <label htmlFor={`${id}-name`}>{words.record.typeName(loser)}</label>
          <input
            id={`${id}-name`}
            className={parts.input}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={props.onClose}>{words.close}</Button>
        <Button type="submit" look="bad" disabled={!isReady}>
          {isMoving ? identity.submitMove : identity.submit}
        </Button>
      </div>
    </form>
  )
}

const textsOf = (error: unknown): readonly string[] =>
  error instanceof ApiProblem && error.status === 412 ? [screenWords.identity.changed] : faultTexts(error)
