-- /etc/haproxy/gatehouse.lua: asks Gatehouse who is calling, and passes its headers on.
local verify = "http://127.0.0.1:5173/api/verify?scope=account:profile:read"

core.register_action("gatehouse", { "http-req" }, function(txn)
  local received = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs({ "host", "cookie", "authorization", "x-forwarded-for" }) do
    if received[name] then headers[name] = { received[name][0] } end
  end
  local response = core.httpclient():get({ url = verify, headers = headers, timeout = 5000 })
  txn:set_var("txn.gatehouse", tostring(response.status or 503))
  if response.status ~= 200 then return end
  for name, values in pairs(response.headers) do
    local kind = name:match("^x%-(%a+)%-")
    if kind == "user" or kind == "auth" or kind == "act" or kind == "org" then
      txn.http:req_set_header(name, values[0])
    end
  end
end)
