/** What `/metrics` shows. */
export interface Metrics {
  request(route: string, method: string, status: number, seconds: number): void
  store(store: string, seconds: number): void
  /** Something counted that has no other home: refusals by code, mails by outcome. */
  count(name: string, label: string): void
  /** Asked when the page is read. */
  gauge(name: string, read: () => number): void
  text(): Promise<string>
}
