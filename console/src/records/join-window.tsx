import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../api/client.ts'
import type { Join } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { fillPath, listOfType, resourceOf, rowPath } from '../api/resources.ts'
import { ObjectSearch } from '../fields/object-search.tsx'
import type { Choice } from '../fields/references.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'

interface JoinWindowProps {
  readonly join: Join
  /** What is added. */
  readonly item: Item
  onClose(): void
}

/** Adds an object to one of another list: a product to a node. */
export function JoinWindow({ join, item, onClose }: JoinWindowProps) {
  const queries = useQueryClient()
  const [choice, setChoice] = useState<Choice>()
  const [faults, setFaults] = useState<readonly string[]>([])
  const to = resourceOf(join.to)
  const list = to && (listOfType(to.type) ?? to)
  if (!to || !list) return null
  const add = async () => {
    const path = choice && rowPath(list, list.path, choice.item)
    if (!path) return setFaults([words.picker.choose])
    const id = String(item.id)
    try {
      await send({
        ...{ method: 'POST', path: fillPath(join.write.path, path) },
        body: { data: [join.linkType === undefined ? id : { type: join.linkType, id }] },
      })
      await queries.invalidateQueries({ queryKey: ['list'] })
      onClose()
    } catch (error) {
      setFaults(faultTexts(error))
    }
  }
  const title = words.related.addTo(to.noun[0])
  return (
    <Window title={title} isOpen onClose={onClose}>
      <ObjectSearch
        label={words.related.which(to.noun[0])}
        source={{ resource: list, listPath: list.path }}
        onChoose={setChoice}
      />
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="main" onClick={() => void add()}>
          {title}
        </Button>
      </div>
    </Window>
  )
}
