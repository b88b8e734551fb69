-- /etc/haproxy/gatehouse.lua: asks Gatehouse who is calling, and passes on what it answers.
local verify = "http://127.0.0.1:5173/api/verify?scope=account:profile:read"

core.register_action("gatehouse", { "http-req" }, function(txn)
  local asked = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs({ "host", "cookie", "authorization", "x-forwarded-for" }) do
    if asked[name] then headers[name] = { asked[name][0] } end
  end
  local answer = core.httpclient():get({ url = verify, headers = headers, timeout = 5000 })
  txn:set_var("txn.gatehouse", tostring(answer.status or 503))
  if answer.status ~= 200 then return end
  for name, values in pairs(answer.headers) do
    if name:match("^x%-user%-") or name:match("^x%-auth%-") then
      txn.http:req_set_header(name, values[0])
    end
  end
end)
