import { docsWords } from './docs-words.ts'

/** The script of `/api/docs`: colours as chosen, the search, and a form to try each route with the session at hand. */
export const docsScript = `'use strict'
const words = ${JSON.stringify(docsWords)}
const theme = /(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1]
if (theme) document.documentElement.dataset.theme = theme

addEventListener('DOMContentLoaded', () => {
  const articles = [...document.querySelectorAll('article')]
  const links = new Map([...document.querySelectorAll('nav a')].map((link) => [link.hash.slice(1), link.parentElement]))
  const search = document.getElementById('search')
  const found = document.getElementById('found')
  const none = document.getElementById('none')
  const texts = new Map(articles.map((one) => [one, one.querySelector('h3').textContent + ' ' + one.querySelector('p').textContent]))
  let saying

  const areas = [...document.querySelectorAll('section.area')]
  const parts = [...document.querySelectorAll('nav details')]
  let current = 0

  /** One area, or whatever the search finds in all of them. */
  const narrow = () => {
    const wanted = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let count = 0
    for (const [article, text] of texts) {
      const isFound = wanted.every((word) => text.toLowerCase().includes(word))
      article.hidden = !isFound
      links.get(article.id).hidden = !isFound
      if (isFound) count += 1
    }
    areas.forEach((area, at) => {
      const isFound = area.querySelector('article:not([hidden])') !== null
      area.hidden = wanted.length > 0 ? !isFound : at !== current
      parts[at].hidden = !isFound
      parts[at].open = wanted.length > 0 || at === current
    })
    none.hidden = count > 0
    clearTimeout(saying)
    saying = setTimeout(() => {
      found.textContent = wanted.length === 0 ? '' : count === 0 ? words.noMatches : count === 1 ? words.result : count + words.results
    }, 400)
  }
  const follow = () => {
    const article = document.getElementById(location.hash.slice(1))
    const at = areas.findIndex((area) => area.contains(article))
    if (at !== -1) current = at
    narrow()
    if (article) article.scrollIntoView()
  }
  addEventListener('hashchange', follow)
  parts.forEach((part, at) =>
    part.firstElementChild.addEventListener('click', (event) => {
      if (search.value.trim() !== '') return
      event.preventDefault()
      current = at
      narrow()
      scrollTo(0, 0)
    }),
  )
  search.addEventListener('input', narrow)
  document.getElementById('clear').addEventListener('click', () => {
    search.value = ''
    narrow()
    search.focus()
  })
  document.querySelector('.search').hidden = false
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea')) return
    event.preventDefault()
    search.focus()
  })

  follow()

  const language = localStorage.getItem('docs-language')
  const chosen = language && document.getElementById(language)
  if (chosen) chosen.checked = true
  for (const radio of document.querySelectorAll('.languages input'))
    radio.addEventListener('change', () => localStorage.setItem('docs-language', radio.id))

  for (const button of document.querySelectorAll('.try')) {
    button.hidden = false
    button.addEventListener('click', () => open(button))
  }

  function open(button) {
    const { method, path, body, sample } = button.dataset
    const form = document.createElement('form')
    const label = document.createElement('label')
    label.textContent = body === 'query' ? words.parameters : words.body
    const field = document.createElement('textarea')
    field.value = sample
    field.spellcheck = false
    field.rows = Math.min(12, sample.split('\\n').length + 1)
    label.append(field)
    const note = document.createElement('p')
    note.textContent = words.caution
    const send = document.createElement('button')
    send.textContent = words.send
    const close = document.createElement('button')
    close.type = 'button'
    close.textContent = words.close
    close.addEventListener('click', () => {
      form.replaceWith(button)
      button.focus()
    })
    const answer = document.createElement('div')
    answer.setAttribute('role', 'status')
    form.append(note, label, send, close, answer)
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      answer.textContent = words.sending
      const asked = { method, headers: {} }
      const query = body === 'query' && field.value.trim() ? '?' + field.value.trim() : ''
      if (body !== 'query') {
        asked.body = field.value
        asked.headers['content-type'] = body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
      }
      const begun = performance.now()
      try {
        const response = await fetch(path + query, asked)
        const text = await response.text()
        show(answer, response.status + ' in ' + Math.round(performance.now() - begun) + ' ms', pretty(text))
      } catch (error) {
        show(answer, words.noResponse, String(error))
      }
    })
    button.replaceWith(form)
    field.focus()
  }

  function show(place, title, text) {
    const head = document.createElement('strong')
    head.textContent = title
    const body = document.createElement('pre')
    body.textContent = text
    body.tabIndex = 0
    place.replaceChildren(head, body)
  }

  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }
})
`
