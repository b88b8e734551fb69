/** Reads a store of the copy, whatever the schema of its release. */
export interface Look extends AsyncDisposable {
  tables(): Promise<readonly string[]>
  columns(table: string): Promise<readonly string[]>
  rows(table: string): Promise<number>
  /** Rows that are the same in these columns give the same hash. */
  hash(table: string, columns: readonly string[]): Promise<string>
  bytes(): Promise<number>
}
