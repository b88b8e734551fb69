import type { Service } from '../../service/service.ts'

/** This many six-digit codes that are wrong. */
export function wrong(otp: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => String((Number(otp) + i + 1) % 1_000_000).padStart(6, '0'))
}

export async function sendTo(service: Service, process: number, path: string, body: object) {
  const request = process === 0 ? service.request : service.requestElsewhere
  const headers = { 'content-type': 'application/json' }
  const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { code }: { code?: string } = JSON.parse(await response.text())
  return { status: response.status, code }
}
