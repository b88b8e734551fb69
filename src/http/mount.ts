import type { Context, Hono } from 'hono'
import type { Platform } from '../platform/platform.ts'
import { Nothing, parseInput, readJson } from './body.ts'
import type { FindCaller } from './caller.ts'
import { clientOf } from './client-of.ts'
import { answerAsOAuth, readForm, takesForm } from './form.ts'
import { nameRoute } from './observe.ts'
import { protect, requireSession } from './protect.ts'
import { Refusal } from './refusal.ts'
import type { Call, Route } from './route.ts'

/** Puts declared routes on the wire; any other method on their paths is 405. */
export function mount(app: Hono, routes: readonly Route[], platform: Platform, findCaller: FindCaller): void {
  for (const route of routes) {
    app.on(route.method, route.path, (context) => answer(context, route, platform, findCaller))
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, (context) => {
      nameRoute(context, path)
      context.header('allow', methods.join(', '))
      throw new Refusal('METHOD_NOT_ALLOWED', `Use ${methods.join(' or ')} here.`)
    })
  }
}

async function answer(
  context: Context,
  route: Route,
  platform: Platform,
  findCaller: FindCaller,
): Promise<Response> {
  nameRoute(context, route.path)
  context.header('cache-control', 'no-store')
  if (takesForm(route)) answerAsOAuth(context)
  const call: Call = { platform, context, client: clientOf(context) }
  const output = await handled(call, route, findCaller)
  return output instanceof Response ? output : context.json(output as object | null)
}

async function handled(call: Call, route: Route, findCaller: FindCaller): Promise<unknown> {
  switch (route.access) {
    case 'public':
      return route.handle(call, await inputOf(call, route))
    case 'session': {
      const signedIn = await requireSession(call, findCaller)
      return route.handle(signedIn, await inputOf(call, route))
    }
    case 'protected': {
      const allowed = await protect(call, route, findCaller)
      return route.handle(allowed, await inputOf(call, route))
    }
  }
}

async function inputOf({ context }: Call, route: Route): Promise<unknown> {
  if (route.method === 'GET' && route.input === Nothing) return {}
  return parseInput(route.input, await rawInput(context, route))
}

function rawInput(context: Context, route: Route): unknown {
  if (route.method === 'GET') return context.req.query()
  return takesForm(route) ? readForm(context) : readJson(context)
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}
