import { useState } from 'react'
import { type Piece, piecesOf as plainPieces } from '../../../../src/rules/pieces.ts'
import { markedPieces } from '../../marked-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { textLinkClass } from '../controls/text-link.tsx'

/** Words alone in a line that is cut are cut at their own end, which is at the left of words from right to left. */
const cutAtTheirEnd =
  '[.truncate>&:only-child]:block [.truncate>&:only-child]:overflow-hidden [.truncate>&:only-child]:text-ellipsis [.truncate>&:only-child]:text-left'

/** A few words that a person wrote, inside a line of ours: they keep their own direction, and any word can break. */
export function PersonText({ children, search = '' }: { readonly children: string; readonly search?: string }) {
  return (
    <bdi className={`wrap-anywhere ${cutAtTheirEnd}`}>
      {markedPieces(children, search).map(({ text, isMarked }, index) =>
        isMarked ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity
          <mark key={index} className="rounded-xs bg-warning-soft text-inherit">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </bdi>
  )
}

/** Stands for the words while the sentence is taken apart. */
const slot = '\ufffc'

/** A sentence of ours with a few words that a person wrote in it. */
export function SentenceWith({
  sentence,
  words,
  isStrong = false,
}: {
  readonly sentence: (words: string) => string
  readonly words: string
  readonly isStrong?: boolean
}) {
  const [before, after] = sentence(slot).split(slot)
  return (
    <>
      {before}
      {isStrong ? (
        <strong className="font-semibold text-ink">
          <PersonText>{words}</PersonText>
        </strong>
      ) : (
        <PersonText>{words}</PersonText>
      )}
      {after}
    </>
  )
}

const longCharacters = 1200
const longLines = 16

/** Text written by a person, with its line breaks and links; a very long text opens on request. */
interface ProseProps {
  readonly text: string
  readonly className?: string
  /** An announcement has bold words, and links with words. */
  readonly piecesOf?: typeof plainPieces
}

export function PersonProse({ text, className = '', piecesOf = plainPieces }: ProseProps) {
  const { common } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > longCharacters || text.split('\n', longLines + 1).length > longLines
  return (
    <div className={className}>
      <p dir="auto" className={`wrap-anywhere whitespace-pre-line ${isLong && !isOpen ? 'line-clamp-[12]' : ''}`}>
        {piecesOf(text).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity
          <Drawn key={index} {...piece} />
        ))}
      </p>
      {isLong && (
        <div className="-ml-3 mt-1 forced-colors:ml-0">
          <Button look="plain" size="small" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? common.showLess : common.showMore}
          </Button>
        </div>
      )}
    </div>
  )
}

function Drawn({ text, url, isBold }: Piece) {
  const words = isBold ? <strong className="font-semibold">{text}</strong> : text
  if (url === undefined) return words
  return (
    <a href={url} target="_blank" rel="nofollow noopener noreferrer" className={textLinkClass}>
      {words}
    </a>
  )
}
