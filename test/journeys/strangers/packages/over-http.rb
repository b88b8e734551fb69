# Discovery in Ruby insists on https; the tests' Gatehouse is on this machine, without.
require "openid_connect"
SWD.url_builder = URI::HTTP
