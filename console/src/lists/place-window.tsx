import { useState } from 'react'
import type { Resource } from '../api/document.ts'
import { parentOf, rowPath } from '../api/resources.ts'
import { ObjectSearch } from '../fields/object-search.tsx'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'

interface PlaceWindowProps {
  /** The list in which something is created. */
  readonly creator: Resource
  onPlace(listPath: string): void
  onClose(): void
}

/** Asks for the object below which something is created: the price book of a price. */
export function PlaceWindow({ creator, onPlace, onClose }: PlaceWindowProps) {
  const [path, setPath] = useState(creator.path)
  const parent = parentOf(path)
  if (!parent) return null
  const { place } = words.related
  return (
    <Window title={words.form.create(creator.noun[0])} isOpen onClose={onClose}>
      <ObjectSearch
        key={path}
        label={place(parent.noun[0])}
        source={{ resource: parent, listPath: parent.path }}
        onChoose={({ item }) => {
          const chosen = rowPath(parent, parent.path, item) ?? parent.path
          const next = chosen + path.slice(path.indexOf('}', parent.path.length) + 1)
          if (next.includes('{')) setPath(next)
          else onPlace(next)
        }}
      />
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Window>
  )
}
