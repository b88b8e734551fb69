import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { csvOf } from '../web/src/csv.ts'

const LEADS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r']
const BEFORE = ['', ' ', '\n', 'a;', 'a\t', 'a,', '";', 'a; ', 'a;;', 'a\t\t', '; \t']

/** Splits like a spreadsheet that expects this delimiter, even one that does not understand quotes. */
function cellsAt(line: string, delimiter: RegExp): readonly string[] {
  return line.split(delimiter).flatMap((cell) => [cell, cell.replace(/^"+/, '')])
}

describe('111. a cell of a CSV file', () => {
  it('checklist 111: is never a formula, whichever delimiter the spreadsheet uses', () => {
    const texts = LEADS.flatMap((lead) => BEFORE.map((before) => `${before}${lead}HYPERLINK("x")`))
    for (const text of texts) {
      const csv = csvOf([], [[text, text]]).trimStart()
      for (const delimiter of [/,/, /;/, /\t/]) {
        const formulas = cellsAt(csv, delimiter).filter((cell) => /^\s*[=+\-@＝＋－＠]|^[\t\r]/.test(cell))
        assert.deepEqual(formulas, [], JSON.stringify(text))
      }
    }
  })

  it('keeps numbers and plain text, and is quoted if it has a delimiter of any kind', () => {
    const csv = csvOf(
      ['id', 'text'],
      [
        [-5, 'plain-text @home'],
        [1, 'a;b'],
        [2, 'a\tb'],
        [3, 'say "hi", ann'],
      ],
    )

    assert.equal(csv, 'id,text\r\n-5,plain-text @home\r\n1,"a;b"\r\n2,"a\tb"\r\n3,"say ""hi"", ann"')
  })
})
